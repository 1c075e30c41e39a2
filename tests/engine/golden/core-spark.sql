WITH `t26` AS (
  SELECT
    `t15`.`c10`,
    `t15`.`low`,
    `t15`.`high`,
    `t15`.`n`,
    CAST(UNIX_TIMESTAMP(CAST(CAST(`t15`.`c10` AS TIMESTAMP) AS TIMESTAMP)) AS DOUBLE) AS `number`
  FROM (
    SELECT
      `t6`.`c10`,
      MIN(`t6`.`c11`) AS `low`,
      MAX(`t6`.`c11`) AS `high`,
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
        NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) AS `c8`,
        `t0`.`salary` AS `c9`,
        `t0`.`born` AS `c10`,
        `t0`.`hired` AS `c11`
      FROM `source` AS `t0`
      WHERE
        NOT `t0`.`born` IS NULL AND NOT `t0`.`hired` IS NULL
    ) AS `t6`
    GROUP BY
      1
  ) AS `t15`
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
      `t38`.`c10`,
      `t38`.`low`,
      `t38`.`high`,
      `t38`.`n`,
      `t38`.`number`,
      `t38`.`least`,
      `t38`.`most`,
      COALESCE(
        CAST(FLOOR(
          (
            (
              (
                LEAST(GREATEST(`t38`.`number`, `t38`.`least`), `t38`.`most`) / 2
              ) - (
                `t38`.`least` / 2
              )
            ) / NULLIF((
              `t38`.`most` / 2
            ) - (
              `t38`.`least` / 2
            ), 0.0)
          ) * 128
        ) AS BIGINT),
        0
      ) AS `bucket`
    FROM (
      SELECT
        `t31`.`c10`,
        `t31`.`low`,
        `t31`.`high`,
        `t31`.`n`,
        `t31`.`number`,
        `t37`.`least`,
        `t37`.`most`
      FROM `t26` AS `t31`
      CROSS JOIN (
        SELECT
          MIN(IF(ABS(`t28`.`number`) <= 1e+300, `t28`.`number`, NULL)) AS `least`,
          MAX(IF(ABS(`t28`.`number`) <= 1e+300, `t28`.`number`, NULL)) AS `most`
        FROM `t26` AS `t28`
      ) AS `t37`
    ) AS `t38`
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
    IF(`t55`.`r5`, `t55`.`c10`, CAST(NULL AS DATE)) AS `c10`,
    IF(`t55`.`r5`, `t55`.`c11`, CAST(NULL AS TIMESTAMP)) AS `c11`
  FROM (
    SELECT
      `t7`.`c0`,
      `t7`.`c1`,
      `t7`.`c2`,
      `t7`.`c3`,
      `t7`.`c4`,
      `t7`.`c5`,
      `t7`.`c6`,
      `t7`.`c7`,
      `t7`.`c8`,
      `t7`.`c9`,
      `t7`.`c10`,
      `t7`.`c11`,
      `t27`.`broken0` AND TRUE AS `r0`,
      `t32`.`broken1` AND (
        NOT `t7`.`c3` IS NULL
      ) AS `r1`,
      `t32`.`broken2` AND (
        NOT `t7`.`c4` IS NULL
      ) AS `r2`,
      `t33`.`broken3`
      AND (
        (
          NOT `t7`.`c6` IS NULL
        ) AND (
          `t7`.`c7` = 'US'
        )
      ) AS `r3`,
      (
        `t36`.`tied4`
        OR (
          `t7`.`c9` > `t36`.`after4`
        )
        OR (
          `t36`.`before4` > `t7`.`c9`
        )
      )
      AND TRUE AS `r4`,
      (
        `t54`.`tied5`
        OR (
          `t7`.`c11` > `t54`.`after5`
        )
        OR (
          `t54`.`before5` > `t7`.`c11`
        )
      )
      AND TRUE AS `r5`,
      (
        (
          NOT `t7`.`c0` IS NULL
        )
        AND (
          NOT `t7`.`c8` IS NULL AND NOT ISNAN(`t7`.`c8`)
        )
        AND (
          `t18`.`n6_1` > 0
        )
      )
      OR (
        (
          NOT `t7`.`c2` IS NULL
        )
        AND (
          NOT `t7`.`c9` IS NULL
        )
        AND (
          `t20`.`n6_2` > 0
        )
      ) AS `r6`,
      NOT `t7`.`c8` IS NULL AND NOT ISNAN(`t7`.`c8`) AND (
        `t7`.`c8` > 100
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
        NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) AS `c8`,
        `t0`.`salary` AS `c9`,
        `t0`.`born` AS `c10`,
        `t0`.`hired` AS `c11`
      FROM `source` AS `t0`
    ) AS `t7`
    LEFT OUTER JOIN (
      SELECT
        `t23`.`c4` AS `k0_c4`,
        `t23`.`c8` AS `k0_c8`,
        `t23`.`before` AS `before4`,
        `t23`.`after` AS `after4`,
        `t23`.`tied` AS `tied4`
      FROM (
        SELECT
          `t17`.`c4`,
          `t17`.`c8`,
          `t17`.`low`,
          `t17`.`high`,
          `t17`.`n`,
          MAX(`t17`.`high`) OVER (
            PARTITION BY `t17`.`c4`
            ORDER BY `t17`.`c8` ASC NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS `before`,
          MIN(`t17`.`low`) OVER (
            PARTITION BY `t17`.`c4`
            ORDER BY `t17`.`c8` DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS `after`,
          FALSE AS `tied`
        FROM (
          SELECT
            `t9`.`c4`,
            `t9`.`c8`,
            MIN(`t9`.`c9`) AS `low`,
            MAX(`t9`.`c9`) AS `high`,
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
              NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) AS `c8`,
              `t0`.`salary` AS `c9`,
              `t0`.`born` AS `c10`,
              `t0`.`hired` AS `c11`
            FROM `source` AS `t0`
            WHERE
              NOT `t0`.`state` IS NULL
              AND (
                NOT NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) IS NULL
                AND NOT ISNAN(NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)))
              )
              AND NOT `t0`.`salary` IS NULL
          ) AS `t9`
          GROUP BY
            1,
            2
        ) AS `t17`
      ) AS `t23`
      WHERE
        `t23`.`tied`
        OR (
          `t23`.`low` > `t23`.`after`
        )
        OR (
          `t23`.`before` > `t23`.`low`
        )
        OR (
          `t23`.`tied`
          OR (
            `t23`.`high` > `t23`.`after`
          )
          OR (
            `t23`.`before` > `t23`.`high`
          )
        )
    ) AS `t36`
      ON `t7`.`c4` = `t36`.`k0_c4` AND `t7`.`c8` = `t36`.`k0_c8`
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
      ON `t7`.`c10` = `t54`.`k1_c10`
    LEFT OUTER JOIN (
      SELECT
        `t10`.`c2` AS `k2_c2`,
        `t10`.`n6_1`
      FROM (
        SELECT
          `t2`.`c2`,
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
            NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) AS `c8`,
            `t0`.`salary` AS `c9`,
            `t0`.`born` AS `c10`,
            `t0`.`hired` AS `c11`
          FROM `source` AS `t0`
          WHERE
            NOT `t0`.`zip` IS NULL AND NOT `t0`.`salary` IS NULL
        ) AS `t2`
        GROUP BY
          1
      ) AS `t10`
    ) AS `t18`
      ON `t7`.`c0` = `t18`.`k2_c2`
    LEFT OUTER JOIN (
      SELECT
        `t14`.`c0` AS `k3_c0`,
        `t14`.`n6_2`
      FROM (
        SELECT
          `t8`.`c0`,
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
            NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) AS `c8`,
            `t0`.`salary` AS `c9`,
            `t0`.`born` AS `c10`,
            `t0`.`hired` AS `c11`
          FROM `source` AS `t0`
          WHERE
            NOT `t0`.`area` IS NULL
            AND (
              NOT NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) IS NULL
              AND NOT ISNAN(NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)))
            )
        ) AS `t8`
        GROUP BY
          1
      ) AS `t14`
    ) AS `t20`
      ON `t7`.`c2` = `t20`.`k3_c0`
    LEFT OUTER JOIN (
      SELECT
        `t21`.`c0` AS `k5_c0`,
        `t21`.`c1` AS `k5_c1`,
        `t21`.`broken0`
      FROM (
        SELECT
          `t11`.`c0`,
          `t11`.`c1`,
          SUM(`t11`.`times`) > 1 AS `broken0`
        FROM (
          SELECT
            `t3`.`c0`,
            `t3`.`c1`,
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
              NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) AS `c8`,
              `t0`.`salary` AS `c9`,
              `t0`.`born` AS `c10`,
              `t0`.`hired` AS `c11`
            FROM `source` AS `t0`
            WHERE
              NOT `t0`.`area` IS NULL AND NOT `t0`.`phone` IS NULL
          ) AS `t3`
          GROUP BY
            1,
            2
        ) AS `t11`
        GROUP BY
          1,
          2
      ) AS `t21`
      WHERE
        `t21`.`broken0`
    ) AS `t27`
      ON `t7`.`c0` = `t27`.`k5_c0` AND `t7`.`c1` = `t27`.`k5_c1`
    LEFT OUTER JOIN (
      SELECT
        `t22`.`c2` AS `k6_c2`,
        `t22`.`broken1`,
        `t22`.`broken2`
      FROM (
        SELECT
          `t12`.`c2`,
          (
            MIN(`t12`.`c3`) <> MAX(`t12`.`c3`)
          ) AND (
            SUM(`t12`.`times`) > 1
          ) AS `broken1`,
          (
            MIN(`t12`.`c4`) <> MAX(`t12`.`c4`)
          ) AND (
            SUM(`t12`.`times`) > 1
          ) AS `broken2`
        FROM (
          SELECT
            `t4`.`c2`,
            `t4`.`c3`,
            `t4`.`c4`,
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
              NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) AS `c8`,
              `t0`.`salary` AS `c9`,
              `t0`.`born` AS `c10`,
              `t0`.`hired` AS `c11`
            FROM `source` AS `t0`
            WHERE
              NOT `t0`.`zip` IS NULL
          ) AS `t4`
          GROUP BY
            1,
            2,
            3
        ) AS `t12`
        GROUP BY
          1
      ) AS `t22`
      WHERE
        `t22`.`broken1` OR `t22`.`broken2`
    ) AS `t32`
      ON `t7`.`c2` = `t32`.`k6_c2`
    LEFT OUTER JOIN (
      SELECT
        `t25`.`c4` AS `k7_c4`,
        `t25`.`c5` AS `k7_c5`,
        `t25`.`broken3`
      FROM (
        SELECT
          `t13`.`c4`,
          `t13`.`c5`,
          (
            MIN(IF(`t13`.`c7` = 'US', `t13`.`c6`, NULL)) <> MAX(IF(`t13`.`c7` = 'US', `t13`.`c6`, NULL))
          )
          AND (
            SUM(IF(`t13`.`c7` = 'US', `t13`.`times`, NULL)) > 1
          ) AS `broken3`
        FROM (
          SELECT
            `t5`.`c4`,
            `t5`.`c5`,
            `t5`.`c6`,
            `t5`.`c7`,
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
              NULLIF(`t0`.`rate`, CAST('NaN' AS DOUBLE)) AS `c8`,
              `t0`.`salary` AS `c9`,
              `t0`.`born` AS `c10`,
              `t0`.`hired` AS `c11`
            FROM `source` AS `t0`
            WHERE
              NOT `t0`.`state` IS NULL AND NOT `t0`.`married` IS NULL
          ) AS `t5`
          GROUP BY
            1,
            2,
            3,
            4
        ) AS `t13`
        GROUP BY
          1,
          2
      ) AS `t25`
      WHERE
        `t25`.`broken3`
    ) AS `t33`
      ON `t7`.`c4` = `t33`.`k7_c4` AND `t7`.`c5` = `t33`.`k7_c5`
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
