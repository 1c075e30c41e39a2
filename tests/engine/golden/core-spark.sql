WITH `t22` AS (
  SELECT
    `t16`.`c10`,
    `t16`.`low`,
    `t16`.`high`,
    `t16`.`n`,
    CAST(`t16`.`c10` AS DOUBLE) AS `number`
  FROM (
    SELECT
      `t9`.`c10`,
      MIN(`t9`.`c11`) AS `low`,
      MAX(`t9`.`c11`) AS `high`,
      COUNT(*) AS `n`
    FROM (
      SELECT
        `t0`.`area` AS `c0`,
        `t0`.`phone` AS `c1`,
        `t0`.`zip` AS `c2`,
        `t0`.`city` AS `c3`,
        `t0`.`state` AS `c4`,
        `t0`.`married` AS `c5`,
        `t0`.`exemption` AS `c6`,
        `t0`.`country` AS `c7`,
        `t0`.`rate` AS `c8`,
        `t0`.`salary` AS `c9`,
        `t0`.`born` AS `c10`,
        `t0`.`hired` AS `c11`
      FROM (
        SELECT
          CAST(`area` AS BIGINT) AS `area`,
          CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS `phone`,
          CAST(`zip` AS BIGINT) AS `zip`,
          CAST(`city` AS STRING) COLLATE UTF8_BINARY AS `city`,
          CAST(`state` AS STRING) COLLATE UTF8_BINARY AS `state`,
          `married` AS `married`,
          `exemption` AS `exemption`,
          CAST(`country` AS STRING) COLLATE UTF8_BINARY AS `country`,
          CASE
            WHEN ISNAN(`rate`)
            THEN NULL
            WHEN `rate` = 0
            THEN CAST(0 AS DOUBLE)
            ELSE CAST(`rate` AS DOUBLE)
          END AS `rate`,
          CAST(`salary` AS BIGINT) AS `salary`,
          CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS `born`,
          CASE
            WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
            THEN -9223372036854775807
            ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
              EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
            ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
          END AS `hired`
        FROM (
          SELECT
            *
          FROM `source`
        )
      ) AS `t0`
      WHERE
        NOT `t0`.`born` IS NULL AND NOT `t0`.`hired` IS NULL
    ) AS `t9`
    GROUP BY
      1
  ) AS `t16`
), `t40` AS (
  SELECT
    `t39`.`c10`,
    `t39`.`low`,
    `t39`.`high`,
    `t39`.`n`,
    `t39`.`number`,
    `t39`.`least`,
    `t39`.`most`,
    `t39`.`bucket`,
    MAX(`t39`.`high`) OVER (
      PARTITION BY `t39`.`bucket`
      ORDER BY `t39`.`c10` ASC NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS `before`,
    MIN(`t39`.`low`) OVER (
      PARTITION BY `t39`.`bucket`
      ORDER BY `t39`.`c10` DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS `after`,
    FALSE AS `tied`
  FROM (
    SELECT
      `t37`.`c10`,
      `t37`.`low`,
      `t37`.`high`,
      `t37`.`n`,
      `t37`.`number`,
      `t37`.`least`,
      `t37`.`most`,
      COALESCE(
        CAST(FLOOR(
          IF(
            (
              (
                `t37`.`number` / 2
              ) - (
                `t37`.`least` / 2
              )
            ) <= (
              NULLIF((
                `t37`.`most` / 2
              ) - (
                `t37`.`least` / 2
              ), 0.0) * 1e-09
            ),
            0.0,
            (
              (
                `t37`.`number` / 2
              ) - (
                `t37`.`least` / 2
              )
            ) / NULLIF((
              `t37`.`most` / 2
            ) - (
              `t37`.`least` / 2
            ), 0.0)
          ) * 128
        ) AS BIGINT),
        0
      ) AS `bucket`
    FROM (
      SELECT
        `t28`.`c10`,
        `t28`.`low`,
        `t28`.`high`,
        `t28`.`n`,
        `t28`.`number`,
        `t35`.`least`,
        `t35`.`most`
      FROM `t22` AS `t28`
      CROSS JOIN (
        SELECT
          MIN(`t25`.`number`) AS `least`,
          MAX(`t25`.`number`) AS `most`
        FROM `t22` AS `t25`
      ) AS `t35`
    ) AS `t37`
  ) AS `t39`
), `t43` AS (
  SELECT
    `t41`.`bucket`,
    MIN(`t41`.`low`) AS `low`,
    MAX(`t41`.`high`) AS `high`
  FROM `t40` AS `t41`
  GROUP BY
    1
)
SELECT
  `t56`.`c0`,
  `t56`.`c1`,
  `t56`.`c2`,
  `t56`.`c3`,
  `t56`.`c4`,
  `t56`.`c5`,
  `t56`.`c6`,
  `t56`.`c7`,
  `t56`.`c8`,
  `t56`.`c9`,
  `t56`.`c10`,
  `t56`.`c11`,
  COUNT(*) AS `n`
FROM (
  SELECT
    IF(`t55`.`r0` OR `t55`.`r6`, `t55`.`c0`, CAST(NULL AS BIGINT)) AS `c0`,
    IF(`t55`.`r0`, `t55`.`c1`, CAST(NULL AS STRING)) AS `c1`,
    IF(`t55`.`r1` OR (
      `t55`.`r2` OR `t55`.`r6`
    ), `t55`.`c2`, CAST(NULL AS BIGINT)) AS `c2`,
    IF(`t55`.`r1`, `t55`.`c3`, CAST(NULL AS STRING)) AS `c3`,
    IF(`t55`.`r2` OR (
      `t55`.`r3` OR `t55`.`r4`
    ), `t55`.`c4`, CAST(NULL AS STRING)) AS `c4`,
    IF(`t55`.`r3`, `t55`.`c5`, CAST(NULL AS BOOLEAN)) AS `c5`,
    IF(`t55`.`r3`, `t55`.`c6`, CAST(NULL AS DECIMAL(10, 2))) AS `c6`,
    IF(`t55`.`r3`, `t55`.`c7`, CAST(NULL AS STRING)) AS `c7`,
    IF(`t55`.`r4` OR (
      `t55`.`r6` OR `t55`.`r7`
    ), `t55`.`c8`, CAST(NULL AS DOUBLE)) AS `c8`,
    IF(`t55`.`r4` OR `t55`.`r6`, `t55`.`c9`, CAST(NULL AS BIGINT)) AS `c9`,
    IF(`t55`.`r5`, `t55`.`c10`, CAST(NULL AS BIGINT)) AS `c10`,
    IF(`t55`.`r5`, `t55`.`c11`, CAST(NULL AS BIGINT)) AS `c11`
  FROM (
    SELECT
      `t8`.`c0`,
      `t8`.`c1`,
      `t8`.`c2`,
      `t8`.`c3`,
      `t8`.`c4`,
      `t8`.`c5`,
      `t8`.`c6`,
      `t8`.`c7`,
      `t8`.`c8`,
      `t8`.`c9`,
      `t8`.`c10`,
      `t8`.`c11`,
      `t29`.`broken0` AND TRUE AS `r0`,
      `t33`.`broken1` AND (
        NOT `t8`.`c3` IS NULL
      ) AS `r1`,
      `t33`.`broken2` AND (
        NOT `t8`.`c4` IS NULL
      ) AS `r2`,
      `t34`.`broken3`
      AND (
        (
          NOT `t8`.`c6` IS NULL
        ) AND (
          `t8`.`c7` = 'US'
        )
      ) AS `r3`,
      (
        `t38`.`tied4`
        OR (
          `t8`.`c9` > `t38`.`after4`
        )
        OR (
          `t38`.`before4` > `t8`.`c9`
        )
      )
      AND TRUE AS `r4`,
      (
        `t54`.`tied5`
        OR (
          `t8`.`c11` > `t54`.`after5`
        )
        OR (
          `t54`.`before5` > `t8`.`c11`
        )
      )
      AND TRUE AS `r5`,
      (
        (
          NOT `t8`.`c0` IS NULL
        )
        AND (
          NOT `t8`.`c8` IS NULL AND NOT ISNAN(`t8`.`c8`)
        )
        AND (
          `t20`.`n6_1` > 0
        )
      )
      OR (
        (
          NOT `t8`.`c2` IS NULL
        )
        AND (
          NOT `t8`.`c9` IS NULL
        )
        AND (
          `t19`.`n6_2` > 0
        )
      ) AS `r6`,
      NOT `t8`.`c8` IS NULL AND NOT ISNAN(`t8`.`c8`) AND (
        `t8`.`c8` > 100
      ) AS `r7`
    FROM (
      SELECT
        `t0`.`area` AS `c0`,
        `t0`.`phone` AS `c1`,
        `t0`.`zip` AS `c2`,
        `t0`.`city` AS `c3`,
        `t0`.`state` AS `c4`,
        `t0`.`married` AS `c5`,
        `t0`.`exemption` AS `c6`,
        `t0`.`country` AS `c7`,
        `t0`.`rate` AS `c8`,
        `t0`.`salary` AS `c9`,
        `t0`.`born` AS `c10`,
        `t0`.`hired` AS `c11`
      FROM (
        SELECT
          CAST(`area` AS BIGINT) AS `area`,
          CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS `phone`,
          CAST(`zip` AS BIGINT) AS `zip`,
          CAST(`city` AS STRING) COLLATE UTF8_BINARY AS `city`,
          CAST(`state` AS STRING) COLLATE UTF8_BINARY AS `state`,
          `married` AS `married`,
          `exemption` AS `exemption`,
          CAST(`country` AS STRING) COLLATE UTF8_BINARY AS `country`,
          CASE
            WHEN ISNAN(`rate`)
            THEN NULL
            WHEN `rate` = 0
            THEN CAST(0 AS DOUBLE)
            ELSE CAST(`rate` AS DOUBLE)
          END AS `rate`,
          CAST(`salary` AS BIGINT) AS `salary`,
          CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS `born`,
          CASE
            WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
            THEN -9223372036854775807
            ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
              EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
            ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
          END AS `hired`
        FROM (
          SELECT
            *
          FROM `source`
        )
      ) AS `t0`
    ) AS `t8`
    LEFT OUTER JOIN (
      SELECT
        `t24`.`c4` AS `k0_c4`,
        `t24`.`c8` AS `k0_c8`,
        `t24`.`before` AS `before4`,
        `t24`.`after` AS `after4`,
        `t24`.`tied` AS `tied4`
      FROM (
        SELECT
          `t15`.`c4`,
          `t15`.`c8`,
          `t15`.`low`,
          `t15`.`high`,
          `t15`.`n`,
          MAX(`t15`.`high`) OVER (
            PARTITION BY `t15`.`c4`
            ORDER BY `t15`.`c8` ASC NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS `before`,
          MIN(`t15`.`low`) OVER (
            PARTITION BY `t15`.`c4`
            ORDER BY `t15`.`c8` DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS `after`,
          FALSE AS `tied`
        FROM (
          SELECT
            `t7`.`c4`,
            `t7`.`c8`,
            MIN(`t7`.`c9`) AS `low`,
            MAX(`t7`.`c9`) AS `high`,
            COUNT(*) AS `n`
          FROM (
            SELECT
              `t0`.`area` AS `c0`,
              `t0`.`phone` AS `c1`,
              `t0`.`zip` AS `c2`,
              `t0`.`city` AS `c3`,
              `t0`.`state` AS `c4`,
              `t0`.`married` AS `c5`,
              `t0`.`exemption` AS `c6`,
              `t0`.`country` AS `c7`,
              `t0`.`rate` AS `c8`,
              `t0`.`salary` AS `c9`,
              `t0`.`born` AS `c10`,
              `t0`.`hired` AS `c11`
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS `area`,
                CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS `phone`,
                CAST(`zip` AS BIGINT) AS `zip`,
                CAST(`city` AS STRING) COLLATE UTF8_BINARY AS `city`,
                CAST(`state` AS STRING) COLLATE UTF8_BINARY AS `state`,
                `married` AS `married`,
                `exemption` AS `exemption`,
                CAST(`country` AS STRING) COLLATE UTF8_BINARY AS `country`,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS `rate`,
                CAST(`salary` AS BIGINT) AS `salary`,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS `born`,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS `hired`
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `t0`
            WHERE
              NOT `t0`.`state` IS NULL
              AND (
                NOT `t0`.`rate` IS NULL AND NOT ISNAN(`t0`.`rate`)
              )
              AND NOT `t0`.`salary` IS NULL
          ) AS `t7`
          GROUP BY
            1,
            2
        ) AS `t15`
      ) AS `t24`
      WHERE
        `t24`.`tied`
        OR (
          `t24`.`low` > `t24`.`after`
        )
        OR (
          `t24`.`before` > `t24`.`low`
        )
        OR (
          `t24`.`tied`
          OR (
            `t24`.`high` > `t24`.`after`
          )
          OR (
            `t24`.`before` > `t24`.`high`
          )
        )
    ) AS `t38`
      ON `t8`.`c4` = `t38`.`k0_c4` AND `t8`.`c8` = `t38`.`k0_c8`
    LEFT OUTER JOIN (
      SELECT
        `t52`.`c10` AS `k1_c10`,
        `t52`.`before` AS `before5`,
        `t52`.`after` AS `after5`,
        `t52`.`tied` AS `tied5`
      FROM (
        SELECT
          `t51`.`c10`,
          `t51`.`low`,
          `t51`.`high`,
          `t51`.`n`,
          `t51`.`number`,
          `t51`.`least`,
          `t51`.`most`,
          `t51`.`bucket`,
          GREATEST(
            COALESCE(`t51`.`before`, `t51`.`earlier`),
            COALESCE(`t51`.`earlier`, `t51`.`before`)
          ) AS `before`,
          LEAST(COALESCE(`t51`.`after`, `t51`.`later`), COALESCE(`t51`.`later`, `t51`.`after`)) AS `after`,
          `t51`.`tied`,
          `t51`.`near`,
          `t51`.`earlier`,
          `t51`.`later`
        FROM (
          SELECT
            `t42`.`c10`,
            `t42`.`low`,
            `t42`.`high`,
            `t42`.`n`,
            `t42`.`number`,
            `t42`.`least`,
            `t42`.`most`,
            `t42`.`bucket`,
            `t42`.`before`,
            `t42`.`after`,
            `t42`.`tied`,
            `t50`.`near`,
            `t50`.`earlier`,
            `t50`.`later`
          FROM `t40` AS `t42`
          INNER JOIN (
            SELECT
              `t48`.`near`,
              MAX(IF(`t48`.`bucket` < `t48`.`near`, `t48`.`high`, NULL)) AS `earlier`,
              MIN(IF(`t48`.`bucket` > `t48`.`near`, `t48`.`low`, NULL)) AS `later`
            FROM (
              SELECT
                `t47`.`near`,
                `t45`.`bucket`,
                `t45`.`low`,
                `t45`.`high`
              FROM (
                SELECT
                  `t44`.`bucket` AS `near`
                FROM `t43` AS `t44`
              ) AS `t47`
              CROSS JOIN `t43` AS `t45`
            ) AS `t48`
            GROUP BY
              1
          ) AS `t50`
            ON `t42`.`bucket` = `t50`.`near`
        ) AS `t51`
      ) AS `t52`
      WHERE
        `t52`.`tied`
        OR (
          `t52`.`low` > `t52`.`after`
        )
        OR (
          `t52`.`before` > `t52`.`low`
        )
        OR (
          `t52`.`tied`
          OR (
            `t52`.`high` > `t52`.`after`
          )
          OR (
            `t52`.`before` > `t52`.`high`
          )
        )
    ) AS `t54`
      ON `t8`.`c10` = `t54`.`k1_c10`
    LEFT OUTER JOIN (
      SELECT
        `t14`.`c2` AS `k2_c2`,
        `t14`.`n6_1`
      FROM (
        SELECT
          `t6`.`c2`,
          COUNT(*) AS `n6_1`
        FROM (
          SELECT
            `t0`.`area` AS `c0`,
            `t0`.`phone` AS `c1`,
            `t0`.`zip` AS `c2`,
            `t0`.`city` AS `c3`,
            `t0`.`state` AS `c4`,
            `t0`.`married` AS `c5`,
            `t0`.`exemption` AS `c6`,
            `t0`.`country` AS `c7`,
            `t0`.`rate` AS `c8`,
            `t0`.`salary` AS `c9`,
            `t0`.`born` AS `c10`,
            `t0`.`hired` AS `c11`
          FROM (
            SELECT
              CAST(`area` AS BIGINT) AS `area`,
              CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS `phone`,
              CAST(`zip` AS BIGINT) AS `zip`,
              CAST(`city` AS STRING) COLLATE UTF8_BINARY AS `city`,
              CAST(`state` AS STRING) COLLATE UTF8_BINARY AS `state`,
              `married` AS `married`,
              `exemption` AS `exemption`,
              CAST(`country` AS STRING) COLLATE UTF8_BINARY AS `country`,
              CASE
                WHEN ISNAN(`rate`)
                THEN NULL
                WHEN `rate` = 0
                THEN CAST(0 AS DOUBLE)
                ELSE CAST(`rate` AS DOUBLE)
              END AS `rate`,
              CAST(`salary` AS BIGINT) AS `salary`,
              CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS `born`,
              CASE
                WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                THEN -9223372036854775807
                ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                  EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
              END AS `hired`
            FROM (
              SELECT
                *
              FROM `source`
            )
          ) AS `t0`
          WHERE
            NOT `t0`.`zip` IS NULL AND NOT `t0`.`salary` IS NULL
        ) AS `t6`
        GROUP BY
          1
      ) AS `t14`
    ) AS `t20`
      ON `t8`.`c0` = `t20`.`k2_c2`
    LEFT OUTER JOIN (
      SELECT
        `t13`.`c0` AS `k3_c0`,
        `t13`.`n6_2`
      FROM (
        SELECT
          `t5`.`c0`,
          COUNT(*) AS `n6_2`
        FROM (
          SELECT
            `t0`.`area` AS `c0`,
            `t0`.`phone` AS `c1`,
            `t0`.`zip` AS `c2`,
            `t0`.`city` AS `c3`,
            `t0`.`state` AS `c4`,
            `t0`.`married` AS `c5`,
            `t0`.`exemption` AS `c6`,
            `t0`.`country` AS `c7`,
            `t0`.`rate` AS `c8`,
            `t0`.`salary` AS `c9`,
            `t0`.`born` AS `c10`,
            `t0`.`hired` AS `c11`
          FROM (
            SELECT
              CAST(`area` AS BIGINT) AS `area`,
              CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS `phone`,
              CAST(`zip` AS BIGINT) AS `zip`,
              CAST(`city` AS STRING) COLLATE UTF8_BINARY AS `city`,
              CAST(`state` AS STRING) COLLATE UTF8_BINARY AS `state`,
              `married` AS `married`,
              `exemption` AS `exemption`,
              CAST(`country` AS STRING) COLLATE UTF8_BINARY AS `country`,
              CASE
                WHEN ISNAN(`rate`)
                THEN NULL
                WHEN `rate` = 0
                THEN CAST(0 AS DOUBLE)
                ELSE CAST(`rate` AS DOUBLE)
              END AS `rate`,
              CAST(`salary` AS BIGINT) AS `salary`,
              CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS `born`,
              CASE
                WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                THEN -9223372036854775807
                ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                  EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
              END AS `hired`
            FROM (
              SELECT
                *
              FROM `source`
            )
          ) AS `t0`
          WHERE
            NOT `t0`.`area` IS NULL
            AND (
              NOT `t0`.`rate` IS NULL AND NOT ISNAN(`t0`.`rate`)
            )
        ) AS `t5`
        GROUP BY
          1
      ) AS `t13`
    ) AS `t19`
      ON `t8`.`c2` = `t19`.`k3_c0`
    LEFT OUTER JOIN (
      SELECT
        `t21`.`c0` AS `k5_c0`,
        `t21`.`c1` AS `k5_c1`,
        `t21`.`broken0`
      FROM (
        SELECT
          `t10`.`c0`,
          `t10`.`c1`,
          SUM(`t10`.`times`) > 1 AS `broken0`
        FROM (
          SELECT
            `t2`.`c0`,
            `t2`.`c1`,
            COUNT(*) AS `times`
          FROM (
            SELECT
              `t0`.`area` AS `c0`,
              `t0`.`phone` AS `c1`,
              `t0`.`zip` AS `c2`,
              `t0`.`city` AS `c3`,
              `t0`.`state` AS `c4`,
              `t0`.`married` AS `c5`,
              `t0`.`exemption` AS `c6`,
              `t0`.`country` AS `c7`,
              `t0`.`rate` AS `c8`,
              `t0`.`salary` AS `c9`,
              `t0`.`born` AS `c10`,
              `t0`.`hired` AS `c11`
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS `area`,
                CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS `phone`,
                CAST(`zip` AS BIGINT) AS `zip`,
                CAST(`city` AS STRING) COLLATE UTF8_BINARY AS `city`,
                CAST(`state` AS STRING) COLLATE UTF8_BINARY AS `state`,
                `married` AS `married`,
                `exemption` AS `exemption`,
                CAST(`country` AS STRING) COLLATE UTF8_BINARY AS `country`,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS `rate`,
                CAST(`salary` AS BIGINT) AS `salary`,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS `born`,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS `hired`
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `t0`
            WHERE
              NOT `t0`.`area` IS NULL AND NOT `t0`.`phone` IS NULL
          ) AS `t2`
          GROUP BY
            1,
            2
        ) AS `t10`
        GROUP BY
          1,
          2
      ) AS `t21`
      WHERE
        `t21`.`broken0`
    ) AS `t29`
      ON `t8`.`c0` = `t29`.`k5_c0` AND `t8`.`c1` = `t29`.`k5_c1`
    LEFT OUTER JOIN (
      SELECT
        `t23`.`c2` AS `k6_c2`,
        `t23`.`broken1`,
        `t23`.`broken2`
      FROM (
        SELECT
          `t11`.`c2`,
          (
            MIN(`t11`.`c3`) <> MAX(`t11`.`c3`)
          ) AND (
            SUM(`t11`.`times`) > 1
          ) AS `broken1`,
          (
            MIN(`t11`.`c4`) <> MAX(`t11`.`c4`)
          ) AND (
            SUM(`t11`.`times`) > 1
          ) AS `broken2`
        FROM (
          SELECT
            `t3`.`c2`,
            `t3`.`c3`,
            `t3`.`c4`,
            COUNT(*) AS `times`
          FROM (
            SELECT
              `t0`.`area` AS `c0`,
              `t0`.`phone` AS `c1`,
              `t0`.`zip` AS `c2`,
              `t0`.`city` AS `c3`,
              `t0`.`state` AS `c4`,
              `t0`.`married` AS `c5`,
              `t0`.`exemption` AS `c6`,
              `t0`.`country` AS `c7`,
              `t0`.`rate` AS `c8`,
              `t0`.`salary` AS `c9`,
              `t0`.`born` AS `c10`,
              `t0`.`hired` AS `c11`
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS `area`,
                CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS `phone`,
                CAST(`zip` AS BIGINT) AS `zip`,
                CAST(`city` AS STRING) COLLATE UTF8_BINARY AS `city`,
                CAST(`state` AS STRING) COLLATE UTF8_BINARY AS `state`,
                `married` AS `married`,
                `exemption` AS `exemption`,
                CAST(`country` AS STRING) COLLATE UTF8_BINARY AS `country`,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS `rate`,
                CAST(`salary` AS BIGINT) AS `salary`,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS `born`,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS `hired`
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `t0`
            WHERE
              NOT `t0`.`zip` IS NULL
          ) AS `t3`
          GROUP BY
            1,
            2,
            3
        ) AS `t11`
        GROUP BY
          1
      ) AS `t23`
      WHERE
        `t23`.`broken1` OR `t23`.`broken2`
    ) AS `t33`
      ON `t8`.`c2` = `t33`.`k6_c2`
    LEFT OUTER JOIN (
      SELECT
        `t27`.`c4` AS `k7_c4`,
        `t27`.`c5` AS `k7_c5`,
        `t27`.`broken3`
      FROM (
        SELECT
          `t12`.`c4`,
          `t12`.`c5`,
          (
            MIN(IF(`t12`.`c7` = 'US', `t12`.`c6`, NULL)) <> MAX(IF(`t12`.`c7` = 'US', `t12`.`c6`, NULL))
          )
          AND (
            SUM(IF(`t12`.`c7` = 'US', `t12`.`times`, NULL)) > 1
          ) AS `broken3`
        FROM (
          SELECT
            `t4`.`c4`,
            `t4`.`c5`,
            `t4`.`c6`,
            `t4`.`c7`,
            COUNT(*) AS `times`
          FROM (
            SELECT
              `t0`.`area` AS `c0`,
              `t0`.`phone` AS `c1`,
              `t0`.`zip` AS `c2`,
              `t0`.`city` AS `c3`,
              `t0`.`state` AS `c4`,
              `t0`.`married` AS `c5`,
              `t0`.`exemption` AS `c6`,
              `t0`.`country` AS `c7`,
              `t0`.`rate` AS `c8`,
              `t0`.`salary` AS `c9`,
              `t0`.`born` AS `c10`,
              `t0`.`hired` AS `c11`
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS `area`,
                CAST(`phone` AS STRING) COLLATE UTF8_BINARY AS `phone`,
                CAST(`zip` AS BIGINT) AS `zip`,
                CAST(`city` AS STRING) COLLATE UTF8_BINARY AS `city`,
                CAST(`state` AS STRING) COLLATE UTF8_BINARY AS `state`,
                `married` AS `married`,
                `exemption` AS `exemption`,
                CAST(`country` AS STRING) COLLATE UTF8_BINARY AS `country`,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS `rate`,
                CAST(`salary` AS BIGINT) AS `salary`,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS `born`,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS `hired`
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `t0`
            WHERE
              NOT `t0`.`state` IS NULL AND NOT `t0`.`married` IS NULL
          ) AS `t4`
          GROUP BY
            1,
            2,
            3,
            4
        ) AS `t12`
        GROUP BY
          1,
          2
      ) AS `t27`
      WHERE
        `t27`.`broken3`
    ) AS `t34`
      ON `t8`.`c4` = `t34`.`k7_c4` AND `t8`.`c5` = `t34`.`k7_c5`
  ) AS `t55`
) AS `t56`
GROUP BY
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  9,
  10,
  11,
  12
