WITH `candling_part_21` AS (
  SELECT
    `candling_part_15`.`c10`,
    `candling_part_15`.`low`,
    `candling_part_15`.`high`,
    `candling_part_15`.`n`,
    CAST(`candling_part_15`.`c10` AS DOUBLE) AS `number`
  FROM (
    SELECT
      `candling_part_8`.`c10`,
      MIN(`candling_part_8`.`c11`) AS `low`,
      MAX(`candling_part_8`.`c11`) AS `high`,
      COUNT(*) AS `n`
    FROM (
      SELECT
        *
      FROM (
        SELECT
          CAST(`area` AS BIGINT) AS c0,
          (
            CASE
              WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
              THEN CAST(`phone` AS STRING)
              ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
            END
          ) COLLATE UTF8_BINARY AS c1,
          CAST(`zip` AS BIGINT) AS c2,
          (
            CASE
              WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
              THEN CAST(`city` AS STRING)
              ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
            END
          ) COLLATE UTF8_BINARY AS c3,
          (
            CASE
              WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
              THEN CAST(`state` AS STRING)
              ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
            END
          ) COLLATE UTF8_BINARY AS c4,
          `married` AS c5,
          `exemption` AS c6,
          (
            CASE
              WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
              THEN CAST(`country` AS STRING)
              ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
            END
          ) COLLATE UTF8_BINARY AS c7,
          CASE
            WHEN ISNAN(`rate`)
            THEN NULL
            WHEN `rate` = 0
            THEN CAST(0 AS DOUBLE)
            ELSE CAST(`rate` AS DOUBLE)
          END AS c8,
          CAST(`salary` AS BIGINT) AS c9,
          CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
          CASE
            WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
            THEN -9223372036854775807
            ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
              EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
            ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
          END AS c11
        FROM (
          SELECT
            *
          FROM `source`
        )
      ) AS `candling_part_0`
      WHERE
        NOT `candling_part_0`.`c10` IS NULL AND NOT `candling_part_0`.`c11` IS NULL
    ) AS `candling_part_8`
    GROUP BY
      1
  ) AS `candling_part_15`
), `candling_part_39` AS (
  SELECT
    `candling_part_38`.`c10`,
    `candling_part_38`.`low`,
    `candling_part_38`.`high`,
    `candling_part_38`.`n`,
    `candling_part_38`.`number`,
    `candling_part_38`.`least`,
    `candling_part_38`.`most`,
    `candling_part_38`.`bucket`,
    MAX(`candling_part_38`.`high`) OVER (
      PARTITION BY `candling_part_38`.`bucket`
      ORDER BY `candling_part_38`.`c10` ASC NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS `before`,
    MIN(`candling_part_38`.`low`) OVER (
      PARTITION BY `candling_part_38`.`bucket`
      ORDER BY `candling_part_38`.`c10` DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS `after`,
    FALSE AS `tied`
  FROM (
    SELECT
      `candling_part_36`.`c10`,
      `candling_part_36`.`low`,
      `candling_part_36`.`high`,
      `candling_part_36`.`n`,
      `candling_part_36`.`number`,
      `candling_part_36`.`least`,
      `candling_part_36`.`most`,
      COALESCE(
        CAST(FLOOR(
          IF(
            (
              (
                `candling_part_36`.`number` / 2
              ) - (
                `candling_part_36`.`least` / 2
              )
            ) <= (
              NULLIF((
                `candling_part_36`.`most` / 2
              ) - (
                `candling_part_36`.`least` / 2
              ), 0.0) * 1e-09
            ),
            0.0,
            (
              (
                `candling_part_36`.`number` / 2
              ) - (
                `candling_part_36`.`least` / 2
              )
            ) / NULLIF((
              `candling_part_36`.`most` / 2
            ) - (
              `candling_part_36`.`least` / 2
            ), 0.0)
          ) * 128
        ) AS BIGINT),
        0
      ) AS `bucket`
    FROM (
      SELECT
        `candling_part_27`.`c10`,
        `candling_part_27`.`low`,
        `candling_part_27`.`high`,
        `candling_part_27`.`n`,
        `candling_part_27`.`number`,
        `candling_part_34`.`least`,
        `candling_part_34`.`most`
      FROM `candling_part_21` AS `candling_part_27`
      CROSS JOIN (
        SELECT
          MIN(`candling_part_24`.`number`) AS `least`,
          MAX(`candling_part_24`.`number`) AS `most`
        FROM `candling_part_21` AS `candling_part_24`
      ) AS `candling_part_34`
    ) AS `candling_part_36`
  ) AS `candling_part_38`
), `candling_part_42` AS (
  SELECT
    `candling_part_40`.`bucket`,
    MIN(`candling_part_40`.`low`) AS `low`,
    MAX(`candling_part_40`.`high`) AS `high`
  FROM `candling_part_39` AS `candling_part_40`
  GROUP BY
    1
)
SELECT
  `candling_part_55`.`c0`,
  `candling_part_55`.`c1`,
  `candling_part_55`.`c2`,
  `candling_part_55`.`c3`,
  `candling_part_55`.`c4`,
  `candling_part_55`.`c5`,
  `candling_part_55`.`c6`,
  `candling_part_55`.`c7`,
  `candling_part_55`.`c8`,
  `candling_part_55`.`c9`,
  `candling_part_55`.`c10`,
  `candling_part_55`.`c11`,
  COUNT(*) AS `n`
FROM (
  SELECT
    IF(
      `candling_part_54`.`r0` OR `candling_part_54`.`r6`,
      `candling_part_54`.`c0`,
      CAST(NULL AS BIGINT)
    ) AS `c0`,
    IF(`candling_part_54`.`r0`, `candling_part_54`.`c1`, CAST(NULL AS STRING)) AS `c1`,
    IF(
      `candling_part_54`.`r1`
      OR (
        `candling_part_54`.`r2` OR `candling_part_54`.`r6`
      ),
      `candling_part_54`.`c2`,
      CAST(NULL AS BIGINT)
    ) AS `c2`,
    IF(`candling_part_54`.`r1`, `candling_part_54`.`c3`, CAST(NULL AS STRING)) AS `c3`,
    IF(
      `candling_part_54`.`r2`
      OR (
        `candling_part_54`.`r3` OR `candling_part_54`.`r4`
      ),
      `candling_part_54`.`c4`,
      CAST(NULL AS STRING)
    ) AS `c4`,
    IF(`candling_part_54`.`r3`, `candling_part_54`.`c5`, CAST(NULL AS BOOLEAN)) AS `c5`,
    IF(`candling_part_54`.`r3`, `candling_part_54`.`c6`, CAST(NULL AS DECIMAL(10, 2))) AS `c6`,
    IF(`candling_part_54`.`r3`, `candling_part_54`.`c7`, CAST(NULL AS STRING)) AS `c7`,
    IF(
      `candling_part_54`.`r4`
      OR (
        `candling_part_54`.`r6` OR `candling_part_54`.`r7`
      ),
      `candling_part_54`.`c8`,
      CAST(NULL AS DOUBLE)
    ) AS `c8`,
    IF(
      `candling_part_54`.`r4` OR `candling_part_54`.`r6`,
      `candling_part_54`.`c9`,
      CAST(NULL AS BIGINT)
    ) AS `c9`,
    IF(`candling_part_54`.`r5`, `candling_part_54`.`c10`, CAST(NULL AS BIGINT)) AS `c10`,
    IF(`candling_part_54`.`r5`, `candling_part_54`.`c11`, CAST(NULL AS BIGINT)) AS `c11`
  FROM (
    SELECT
      `candling_part_1`.`c0`,
      `candling_part_1`.`c1`,
      `candling_part_1`.`c2`,
      `candling_part_1`.`c3`,
      `candling_part_1`.`c4`,
      `candling_part_1`.`c5`,
      `candling_part_1`.`c6`,
      `candling_part_1`.`c7`,
      `candling_part_1`.`c8`,
      `candling_part_1`.`c9`,
      `candling_part_1`.`c10`,
      `candling_part_1`.`c11`,
      `candling_part_28`.`broken0` AND TRUE AS `r0`,
      `candling_part_32`.`broken1` AND (
        NOT `candling_part_1`.`c3` IS NULL
      ) AS `r1`,
      `candling_part_32`.`broken2` AND (
        NOT `candling_part_1`.`c4` IS NULL
      ) AS `r2`,
      `candling_part_33`.`broken3`
      AND (
        (
          NOT `candling_part_1`.`c6` IS NULL
        ) AND (
          `candling_part_1`.`c7` = 'US'
        )
      ) AS `r3`,
      (
        `candling_part_37`.`tied4`
        OR (
          `candling_part_1`.`c9` > `candling_part_37`.`after4`
        )
        OR (
          `candling_part_37`.`before4` > `candling_part_1`.`c9`
        )
      )
      AND TRUE AS `r4`,
      (
        `candling_part_53`.`tied5`
        OR (
          `candling_part_1`.`c11` > `candling_part_53`.`after5`
        )
        OR (
          `candling_part_53`.`before5` > `candling_part_1`.`c11`
        )
      )
      AND TRUE AS `r5`,
      (
        (
          NOT `candling_part_1`.`c0` IS NULL
        )
        AND (
          NOT `candling_part_1`.`c8` IS NULL AND NOT ISNAN(`candling_part_1`.`c8`)
        )
        AND (
          `candling_part_19`.`n6_1` > 0
        )
      )
      OR (
        (
          NOT `candling_part_1`.`c2` IS NULL
        )
        AND (
          NOT `candling_part_1`.`c9` IS NULL
        )
        AND (
          `candling_part_18`.`n6_2` > 0
        )
      ) AS `r6`,
      NOT `candling_part_1`.`c8` IS NULL
      AND NOT ISNAN(`candling_part_1`.`c8`)
      AND (
        `candling_part_1`.`c8` > 100
      ) AS `r7`
    FROM (
      SELECT
        CAST(`area` AS BIGINT) AS c0,
        (
          CASE
            WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
            THEN CAST(`phone` AS STRING)
            ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
          END
        ) COLLATE UTF8_BINARY AS c1,
        CAST(`zip` AS BIGINT) AS c2,
        (
          CASE
            WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
            THEN CAST(`city` AS STRING)
            ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
          END
        ) COLLATE UTF8_BINARY AS c3,
        (
          CASE
            WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
            THEN CAST(`state` AS STRING)
            ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
          END
        ) COLLATE UTF8_BINARY AS c4,
        `married` AS c5,
        `exemption` AS c6,
        (
          CASE
            WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
            THEN CAST(`country` AS STRING)
            ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
          END
        ) COLLATE UTF8_BINARY AS c7,
        CASE
          WHEN ISNAN(`rate`)
          THEN NULL
          WHEN `rate` = 0
          THEN CAST(0 AS DOUBLE)
          ELSE CAST(`rate` AS DOUBLE)
        END AS c8,
        CAST(`salary` AS BIGINT) AS c9,
        CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
        CASE
          WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
          THEN -9223372036854775807
          ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
            EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
          ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
        END AS c11
      FROM (
        SELECT
          *
        FROM `source`
      )
    ) AS `candling_part_1`
    LEFT OUTER JOIN (
      SELECT
        `candling_part_23`.`c4` AS `k0_c4`,
        `candling_part_23`.`c8` AS `k0_c8`,
        `candling_part_23`.`before` AS `before4`,
        `candling_part_23`.`after` AS `after4`,
        `candling_part_23`.`tied` AS `tied4`
      FROM (
        SELECT
          `candling_part_14`.`c4`,
          `candling_part_14`.`c8`,
          `candling_part_14`.`low`,
          `candling_part_14`.`high`,
          `candling_part_14`.`n`,
          MAX(`candling_part_14`.`high`) OVER (
            PARTITION BY `candling_part_14`.`c4`
            ORDER BY `candling_part_14`.`c8` ASC NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS `before`,
          MIN(`candling_part_14`.`low`) OVER (
            PARTITION BY `candling_part_14`.`c4`
            ORDER BY `candling_part_14`.`c8` DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS `after`,
          FALSE AS `tied`
        FROM (
          SELECT
            `candling_part_7`.`c4`,
            `candling_part_7`.`c8`,
            MIN(`candling_part_7`.`c9`) AS `low`,
            MAX(`candling_part_7`.`c9`) AS `high`,
            COUNT(*) AS `n`
          FROM (
            SELECT
              *
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS c0,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                    THEN CAST(`phone` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c1,
                CAST(`zip` AS BIGINT) AS c2,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                    THEN CAST(`city` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c3,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                    THEN CAST(`state` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c4,
                `married` AS c5,
                `exemption` AS c6,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                    THEN CAST(`country` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c7,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS c8,
                CAST(`salary` AS BIGINT) AS c9,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS c11
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `candling_part_0`
            WHERE
              NOT `candling_part_0`.`c4` IS NULL
              AND (
                NOT `candling_part_0`.`c8` IS NULL AND NOT ISNAN(`candling_part_0`.`c8`)
              )
              AND NOT `candling_part_0`.`c9` IS NULL
          ) AS `candling_part_7`
          GROUP BY
            1,
            2
        ) AS `candling_part_14`
      ) AS `candling_part_23`
      WHERE
        `candling_part_23`.`tied`
        OR (
          `candling_part_23`.`low` > `candling_part_23`.`after`
        )
        OR (
          `candling_part_23`.`before` > `candling_part_23`.`low`
        )
        OR (
          `candling_part_23`.`tied`
          OR (
            `candling_part_23`.`high` > `candling_part_23`.`after`
          )
          OR (
            `candling_part_23`.`before` > `candling_part_23`.`high`
          )
        )
    ) AS `candling_part_37`
      ON `candling_part_1`.`c4` = `candling_part_37`.`k0_c4`
      AND `candling_part_1`.`c8` = `candling_part_37`.`k0_c8`
    LEFT OUTER JOIN (
      SELECT
        `candling_part_51`.`c10` AS `k1_c10`,
        `candling_part_51`.`before` AS `before5`,
        `candling_part_51`.`after` AS `after5`,
        `candling_part_51`.`tied` AS `tied5`
      FROM (
        SELECT
          `candling_part_50`.`c10`,
          `candling_part_50`.`low`,
          `candling_part_50`.`high`,
          `candling_part_50`.`n`,
          `candling_part_50`.`number`,
          `candling_part_50`.`least`,
          `candling_part_50`.`most`,
          `candling_part_50`.`bucket`,
          GREATEST(
            COALESCE(`candling_part_50`.`before`, `candling_part_50`.`earlier`),
            COALESCE(`candling_part_50`.`earlier`, `candling_part_50`.`before`)
          ) AS `before`,
          LEAST(
            COALESCE(`candling_part_50`.`after`, `candling_part_50`.`later`),
            COALESCE(`candling_part_50`.`later`, `candling_part_50`.`after`)
          ) AS `after`,
          `candling_part_50`.`tied`,
          `candling_part_50`.`near`,
          `candling_part_50`.`earlier`,
          `candling_part_50`.`later`
        FROM (
          SELECT
            `candling_part_41`.`c10`,
            `candling_part_41`.`low`,
            `candling_part_41`.`high`,
            `candling_part_41`.`n`,
            `candling_part_41`.`number`,
            `candling_part_41`.`least`,
            `candling_part_41`.`most`,
            `candling_part_41`.`bucket`,
            `candling_part_41`.`before`,
            `candling_part_41`.`after`,
            `candling_part_41`.`tied`,
            `candling_part_49`.`near`,
            `candling_part_49`.`earlier`,
            `candling_part_49`.`later`
          FROM `candling_part_39` AS `candling_part_41`
          INNER JOIN (
            SELECT
              `candling_part_47`.`near`,
              MAX(
                IF(
                  `candling_part_47`.`bucket` < `candling_part_47`.`near`,
                  `candling_part_47`.`high`,
                  NULL
                )
              ) AS `earlier`,
              MIN(
                IF(
                  `candling_part_47`.`bucket` > `candling_part_47`.`near`,
                  `candling_part_47`.`low`,
                  NULL
                )
              ) AS `later`
            FROM (
              SELECT
                `candling_part_46`.`near`,
                `candling_part_44`.`bucket`,
                `candling_part_44`.`low`,
                `candling_part_44`.`high`
              FROM (
                SELECT
                  `candling_part_43`.`bucket` AS `near`
                FROM `candling_part_42` AS `candling_part_43`
              ) AS `candling_part_46`
              CROSS JOIN `candling_part_42` AS `candling_part_44`
            ) AS `candling_part_47`
            GROUP BY
              1
          ) AS `candling_part_49`
            ON `candling_part_41`.`bucket` = `candling_part_49`.`near`
        ) AS `candling_part_50`
      ) AS `candling_part_51`
      WHERE
        `candling_part_51`.`tied`
        OR (
          `candling_part_51`.`low` > `candling_part_51`.`after`
        )
        OR (
          `candling_part_51`.`before` > `candling_part_51`.`low`
        )
        OR (
          `candling_part_51`.`tied`
          OR (
            `candling_part_51`.`high` > `candling_part_51`.`after`
          )
          OR (
            `candling_part_51`.`before` > `candling_part_51`.`high`
          )
        )
    ) AS `candling_part_53`
      ON `candling_part_1`.`c10` = `candling_part_53`.`k1_c10`
    LEFT OUTER JOIN (
      SELECT
        `candling_part_13`.`c2` AS `k2_c2`,
        `candling_part_13`.`n6_1`
      FROM (
        SELECT
          `candling_part_6`.`c2`,
          COUNT(*) AS `n6_1`
        FROM (
          SELECT
            *
          FROM (
            SELECT
              CAST(`area` AS BIGINT) AS c0,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                  THEN CAST(`phone` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c1,
              CAST(`zip` AS BIGINT) AS c2,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                  THEN CAST(`city` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c3,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                  THEN CAST(`state` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c4,
              `married` AS c5,
              `exemption` AS c6,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                  THEN CAST(`country` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c7,
              CASE
                WHEN ISNAN(`rate`)
                THEN NULL
                WHEN `rate` = 0
                THEN CAST(0 AS DOUBLE)
                ELSE CAST(`rate` AS DOUBLE)
              END AS c8,
              CAST(`salary` AS BIGINT) AS c9,
              CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
              CASE
                WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                THEN -9223372036854775807
                ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                  EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
              END AS c11
            FROM (
              SELECT
                *
              FROM `source`
            )
          ) AS `candling_part_0`
          WHERE
            NOT `candling_part_0`.`c2` IS NULL AND NOT `candling_part_0`.`c9` IS NULL
        ) AS `candling_part_6`
        GROUP BY
          1
      ) AS `candling_part_13`
    ) AS `candling_part_19`
      ON `candling_part_1`.`c0` = `candling_part_19`.`k2_c2`
    LEFT OUTER JOIN (
      SELECT
        `candling_part_12`.`c0` AS `k3_c0`,
        `candling_part_12`.`n6_2`
      FROM (
        SELECT
          `candling_part_5`.`c0`,
          COUNT(*) AS `n6_2`
        FROM (
          SELECT
            *
          FROM (
            SELECT
              CAST(`area` AS BIGINT) AS c0,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                  THEN CAST(`phone` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c1,
              CAST(`zip` AS BIGINT) AS c2,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                  THEN CAST(`city` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c3,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                  THEN CAST(`state` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c4,
              `married` AS c5,
              `exemption` AS c6,
              (
                CASE
                  WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                  THEN CAST(`country` AS STRING)
                  ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                END
              ) COLLATE UTF8_BINARY AS c7,
              CASE
                WHEN ISNAN(`rate`)
                THEN NULL
                WHEN `rate` = 0
                THEN CAST(0 AS DOUBLE)
                ELSE CAST(`rate` AS DOUBLE)
              END AS c8,
              CAST(`salary` AS BIGINT) AS c9,
              CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
              CASE
                WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                THEN -9223372036854775807
                ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                  EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
              END AS c11
            FROM (
              SELECT
                *
              FROM `source`
            )
          ) AS `candling_part_0`
          WHERE
            NOT `candling_part_0`.`c0` IS NULL
            AND (
              NOT `candling_part_0`.`c8` IS NULL AND NOT ISNAN(`candling_part_0`.`c8`)
            )
        ) AS `candling_part_5`
        GROUP BY
          1
      ) AS `candling_part_12`
    ) AS `candling_part_18`
      ON `candling_part_1`.`c2` = `candling_part_18`.`k3_c0`
    LEFT OUTER JOIN (
      SELECT
        `candling_part_20`.`c0` AS `k5_c0`,
        `candling_part_20`.`c1` AS `k5_c1`,
        `candling_part_20`.`broken0`
      FROM (
        SELECT
          `candling_part_9`.`c0`,
          `candling_part_9`.`c1`,
          SUM(`candling_part_9`.`times`) > 1 AS `broken0`
        FROM (
          SELECT
            `candling_part_2`.`c0`,
            `candling_part_2`.`c1`,
            COUNT(*) AS `times`
          FROM (
            SELECT
              *
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS c0,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                    THEN CAST(`phone` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c1,
                CAST(`zip` AS BIGINT) AS c2,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                    THEN CAST(`city` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c3,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                    THEN CAST(`state` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c4,
                `married` AS c5,
                `exemption` AS c6,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                    THEN CAST(`country` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c7,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS c8,
                CAST(`salary` AS BIGINT) AS c9,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS c11
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `candling_part_0`
            WHERE
              NOT `candling_part_0`.`c0` IS NULL AND NOT `candling_part_0`.`c1` IS NULL
          ) AS `candling_part_2`
          GROUP BY
            1,
            2
        ) AS `candling_part_9`
        GROUP BY
          1,
          2
      ) AS `candling_part_20`
      WHERE
        `candling_part_20`.`broken0`
    ) AS `candling_part_28`
      ON `candling_part_1`.`c0` = `candling_part_28`.`k5_c0`
      AND `candling_part_1`.`c1` = `candling_part_28`.`k5_c1`
    LEFT OUTER JOIN (
      SELECT
        `candling_part_22`.`c2` AS `k6_c2`,
        `candling_part_22`.`broken1`,
        `candling_part_22`.`broken2`
      FROM (
        SELECT
          `candling_part_10`.`c2`,
          (
            MIN(`candling_part_10`.`c3`) <> MAX(`candling_part_10`.`c3`)
          )
          AND (
            SUM(`candling_part_10`.`times`) > 1
          ) AS `broken1`,
          (
            MIN(`candling_part_10`.`c4`) <> MAX(`candling_part_10`.`c4`)
          )
          AND (
            SUM(`candling_part_10`.`times`) > 1
          ) AS `broken2`
        FROM (
          SELECT
            `candling_part_3`.`c2`,
            `candling_part_3`.`c3`,
            `candling_part_3`.`c4`,
            COUNT(*) AS `times`
          FROM (
            SELECT
              *
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS c0,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                    THEN CAST(`phone` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c1,
                CAST(`zip` AS BIGINT) AS c2,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                    THEN CAST(`city` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c3,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                    THEN CAST(`state` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c4,
                `married` AS c5,
                `exemption` AS c6,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                    THEN CAST(`country` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c7,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS c8,
                CAST(`salary` AS BIGINT) AS c9,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS c11
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `candling_part_0`
            WHERE
              NOT `candling_part_0`.`c2` IS NULL
          ) AS `candling_part_3`
          GROUP BY
            1,
            2,
            3
        ) AS `candling_part_10`
        GROUP BY
          1
      ) AS `candling_part_22`
      WHERE
        `candling_part_22`.`broken1` OR `candling_part_22`.`broken2`
    ) AS `candling_part_32`
      ON `candling_part_1`.`c2` = `candling_part_32`.`k6_c2`
    LEFT OUTER JOIN (
      SELECT
        `candling_part_26`.`c4` AS `k7_c4`,
        `candling_part_26`.`c5` AS `k7_c5`,
        `candling_part_26`.`broken3`
      FROM (
        SELECT
          `candling_part_11`.`c4`,
          `candling_part_11`.`c5`,
          (
            MIN(IF(`candling_part_11`.`c7` = 'US', `candling_part_11`.`c6`, NULL)) <> MAX(IF(`candling_part_11`.`c7` = 'US', `candling_part_11`.`c6`, NULL))
          )
          AND (
            SUM(IF(`candling_part_11`.`c7` = 'US', `candling_part_11`.`times`, NULL)) > 1
          ) AS `broken3`
        FROM (
          SELECT
            `candling_part_4`.`c4`,
            `candling_part_4`.`c5`,
            `candling_part_4`.`c6`,
            `candling_part_4`.`c7`,
            COUNT(*) AS `times`
          FROM (
            SELECT
              *
            FROM (
              SELECT
                CAST(`area` AS BIGINT) AS c0,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`phone` AS STRING))
                    THEN CAST(`phone` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`phone` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c1,
                CAST(`zip` AS BIGINT) AS c2,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`city` AS STRING))
                    THEN CAST(`city` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`city` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c3,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`state` AS STRING))
                    THEN CAST(`state` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`state` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c4,
                `married` AS c5,
                `exemption` AS c6,
                (
                  CASE
                    WHEN IS_VALID_UTF8(CAST(`country` AS STRING))
                    THEN CAST(`country` AS STRING)
                    ELSE CONCAT(CHR(  92), 'x', LOWER(HEX(CAST(`country` AS STRING))))
                  END
                ) COLLATE UTF8_BINARY AS c7,
                CASE
                  WHEN ISNAN(`rate`)
                  THEN NULL
                  WHEN `rate` = 0
                  THEN CAST(0 AS DOUBLE)
                  ELSE CAST(`rate` AS DOUBLE)
                END AS c8,
                CAST(`salary` AS BIGINT) AS c9,
                CAST(DATEDIFF(DAY, CAST('1970-01-01' AS DATE), `born`) AS BIGINT) AS c10,
                CASE
                  WHEN DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) < -106751991
                  THEN -9223372036854775807
                  ELSE DATEDIFF(DAY, CAST('1970-01-01' AS DATE), CAST(`hired` AS DATE)) * CAST(86400000000 AS BIGINT) + (
                    EXTRACT(HOUR FROM `hired`) * CAST(3600 AS BIGINT) + EXTRACT(MINUTE FROM `hired`) * CAST(60 AS BIGINT)
                  ) * CAST(1000000 AS BIGINT) + CAST(EXTRACT(SECOND FROM `hired`) * 1000000 AS BIGINT)
                END AS c11
              FROM (
                SELECT
                  *
                FROM `source`
              )
            ) AS `candling_part_0`
            WHERE
              NOT `candling_part_0`.`c4` IS NULL AND NOT `candling_part_0`.`c5` IS NULL
          ) AS `candling_part_4`
          GROUP BY
            1,
            2,
            3,
            4
        ) AS `candling_part_11`
        GROUP BY
          1,
          2
      ) AS `candling_part_26`
      WHERE
        `candling_part_26`.`broken3`
    ) AS `candling_part_33`
      ON `candling_part_1`.`c4` = `candling_part_33`.`k7_c4`
      AND `candling_part_1`.`c5` = `candling_part_33`.`k7_c5`
  ) AS `candling_part_54`
) AS `candling_part_55`
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
