WITH "t23" AS (
  SELECT
    "t14"."c10",
    "t14"."low",
    "t14"."high",
    "t14"."n",
    CAST("t14"."c10" AS DOUBLE) AS "number"
  FROM (
    SELECT
      "t9"."c10",
      MIN("t9"."c11") AS "low",
      MAX("t9"."c11") AS "high",
      COUNT(*) AS "n"
    FROM (
      SELECT
        "t0"."area" AS "c0",
        "t0"."phone" AS "c1",
        "t0"."zip" AS "c2",
        "t0"."city" AS "c3",
        "t0"."state" AS "c4",
        "t0"."married" AS "c5",
        "t0"."exemption" AS "c6",
        "t0"."country" AS "c7",
        "t0"."rate" AS "c8",
        "t0"."salary" AS "c9",
        "t0"."born" AS "c10",
        "t0"."hired" AS "c11"
      FROM (
        SELECT
          CAST("area" AS BIGINT) AS "area",
          CAST("phone" AS TEXT) COLLATE C AS "phone",
          CAST("zip" AS BIGINT) AS "zip",
          CAST("city" AS TEXT) COLLATE C AS "city",
          CAST("state" AS TEXT) COLLATE C AS "state",
          "married" AS "married",
          "exemption" AS "exemption",
          CAST("country" AS TEXT) COLLATE C AS "country",
          CASE
            WHEN ISNAN("rate")
            THEN NULL
            WHEN "rate" = 0
            THEN 0.0
            ELSE CAST("rate" AS DOUBLE)
          END AS "rate",
          CAST("salary" AS BIGINT) AS "salary",
          CASE
            WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
            THEN -2147483647
            ELSE "born" - CAST('1970-01-01' AS DATE)
          END AS "born",
          CASE
            WHEN "hired" IS NULL
            THEN NULL
            WHEN EPOCH_US("hired") IS NULL
            THEN CASE
              WHEN "hired" > CAST('1970-01-01' AS TIMESTAMP)
              THEN 9223372036854775807
              ELSE -9223372036854775807
            END
            WHEN EPOCH_US("hired") < -9223372036854775807
            THEN -9223372036854775807
            ELSE EPOCH_US("hired")
          END AS "hired"
        FROM (
          SELECT
            *
          FROM "memory"."main"."source"
        )
      ) AS "t0"
      WHERE
        NOT "t0"."born" IS NULL AND NOT "t0"."hired" IS NULL
    ) AS "t9"
    GROUP BY
      1
  ) AS "t14"
), "t37" AS (
  SELECT
    "t36"."c10",
    "t36"."low",
    "t36"."high",
    "t36"."n",
    "t36"."number",
    "t36"."least",
    "t36"."most",
    "t36"."bucket",
    MAX("t36"."high") OVER (
      PARTITION BY "t36"."bucket"
      ORDER BY "t36"."c10" ASC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 preceding
    ) AS "before",
    MIN("t36"."low") OVER (
      PARTITION BY "t36"."bucket"
      ORDER BY "t36"."c10" DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 preceding
    ) AS "after",
    FALSE AS "tied"
  FROM (
    SELECT
      "t34"."c10",
      "t34"."low",
      "t34"."high",
      "t34"."n",
      "t34"."number",
      "t34"."least",
      "t34"."most",
      COALESCE(
        CAST(FLOOR(
          CASE
            WHEN (
              (
                "t34"."number" / 2
              ) - (
                "t34"."least" / 2
              )
            ) <= (
              NULLIF((
                "t34"."most" / 2
              ) - (
                "t34"."least" / 2
              ), 0.0) * 1e-09
            )
            THEN 0.0
            ELSE (
              (
                "t34"."number" / 2
              ) - (
                "t34"."least" / 2
              )
            ) / NULLIF((
              "t34"."most" / 2
            ) - (
              "t34"."least" / 2
            ), 0.0)
          END * 128
        ) AS BIGINT),
        0
      ) AS "bucket"
    FROM (
      SELECT
        "t30"."c10",
        "t30"."low",
        "t30"."high",
        "t30"."n",
        "t30"."number",
        "t32"."least",
        "t32"."most"
      FROM "t23" AS "t30"
      CROSS JOIN (
        SELECT
          MIN("t27"."number") AS "least",
          MAX("t27"."number") AS "most"
        FROM "t23" AS "t27"
      ) AS "t32"
    ) AS "t34"
  ) AS "t36"
), "t40" AS (
  SELECT
    "t38"."bucket",
    MIN("t38"."low") AS "low",
    MAX("t38"."high") AS "high"
  FROM "t37" AS "t38"
  GROUP BY
    1
)
SELECT
  "t53"."c0",
  "t53"."c1",
  "t53"."c2",
  "t53"."c3",
  "t53"."c4",
  "t53"."c5",
  "t53"."c6",
  "t53"."c7",
  "t53"."c8",
  "t53"."c9",
  "t53"."c10",
  "t53"."c11",
  COUNT(*) AS "n"
FROM (
  SELECT
    CASE WHEN "t52"."r0" OR "t52"."r6" THEN "t52"."c0" ELSE CAST(NULL AS BIGINT) END AS "c0",
    CASE WHEN "t52"."r0" THEN "t52"."c1" ELSE CAST(NULL AS TEXT) END AS "c1",
    CASE
      WHEN "t52"."r1" OR (
        "t52"."r2" OR "t52"."r6"
      )
      THEN "t52"."c2"
      ELSE CAST(NULL AS BIGINT)
    END AS "c2",
    CASE WHEN "t52"."r1" THEN "t52"."c3" ELSE CAST(NULL AS TEXT) END AS "c3",
    CASE
      WHEN "t52"."r2" OR (
        "t52"."r3" OR "t52"."r4"
      )
      THEN "t52"."c4"
      ELSE CAST(NULL AS TEXT)
    END AS "c4",
    CASE WHEN "t52"."r3" THEN "t52"."c5" ELSE CAST(NULL AS BOOLEAN) END AS "c5",
    CASE WHEN "t52"."r3" THEN "t52"."c6" ELSE CAST(NULL AS DECIMAL(10, 2)) END AS "c6",
    CASE WHEN "t52"."r3" THEN "t52"."c7" ELSE CAST(NULL AS TEXT) END AS "c7",
    CASE
      WHEN "t52"."r4" OR (
        "t52"."r6" OR "t52"."r7"
      )
      THEN "t52"."c8"
      ELSE CAST(NULL AS DOUBLE)
    END AS "c8",
    CASE WHEN "t52"."r4" OR "t52"."r6" THEN "t52"."c9" ELSE CAST(NULL AS BIGINT) END AS "c9",
    CASE WHEN "t52"."r5" THEN "t52"."c10" ELSE CAST(NULL AS BIGINT) END AS "c10",
    CASE WHEN "t52"."r5" THEN "t52"."c11" ELSE CAST(NULL AS BIGINT) END AS "c11"
  FROM (
    SELECT
      "t8"."c0",
      "t8"."c1",
      "t8"."c2",
      "t8"."c3",
      "t8"."c4",
      "t8"."c5",
      "t8"."c6",
      "t8"."c7",
      "t8"."c8",
      "t8"."c9",
      "t8"."c10",
      "t8"."c11",
      "t22"."broken0" AND TRUE AS "r0",
      "t28"."broken1" AND (
        NOT "t8"."c3" IS NULL
      ) AS "r1",
      "t28"."broken2" AND (
        NOT "t8"."c4" IS NULL
      ) AS "r2",
      "t29"."broken3"
      AND (
        (
          NOT "t8"."c6" IS NULL
        ) AND (
          "t8"."c7" = 'US'
        )
      ) AS "r3",
      (
        "t35"."tied4"
        OR (
          "t8"."c9" > "t35"."after4"
        )
        OR (
          "t35"."before4" > "t8"."c9"
        )
      )
      AND TRUE AS "r4",
      (
        "t51"."tied5"
        OR (
          "t8"."c11" > "t51"."after5"
        )
        OR (
          "t51"."before5" > "t8"."c11"
        )
      )
      AND TRUE AS "r5",
      (
        (
          NOT "t8"."c0" IS NULL
        )
        AND (
          NOT "t8"."c8" IS NULL
        )
        AND (
          "t21"."n6_1" > 0
        )
      )
      OR (
        (
          NOT "t8"."c2" IS NULL
        )
        AND (
          NOT "t8"."c9" IS NULL
        )
        AND (
          "t20"."n6_2" > 0
        )
      ) AS "r6",
      (
        NOT "t8"."c8" IS NULL
      ) AND (
        "t8"."c8" > 100
      ) AS "r7"
    FROM (
      SELECT
        "t0"."area" AS "c0",
        "t0"."phone" AS "c1",
        "t0"."zip" AS "c2",
        "t0"."city" AS "c3",
        "t0"."state" AS "c4",
        "t0"."married" AS "c5",
        "t0"."exemption" AS "c6",
        "t0"."country" AS "c7",
        "t0"."rate" AS "c8",
        "t0"."salary" AS "c9",
        "t0"."born" AS "c10",
        "t0"."hired" AS "c11"
      FROM (
        SELECT
          CAST("area" AS BIGINT) AS "area",
          CAST("phone" AS TEXT) COLLATE C AS "phone",
          CAST("zip" AS BIGINT) AS "zip",
          CAST("city" AS TEXT) COLLATE C AS "city",
          CAST("state" AS TEXT) COLLATE C AS "state",
          "married" AS "married",
          "exemption" AS "exemption",
          CAST("country" AS TEXT) COLLATE C AS "country",
          CASE
            WHEN ISNAN("rate")
            THEN NULL
            WHEN "rate" = 0
            THEN 0.0
            ELSE CAST("rate" AS DOUBLE)
          END AS "rate",
          CAST("salary" AS BIGINT) AS "salary",
          CASE
            WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
            THEN -2147483647
            ELSE "born" - CAST('1970-01-01' AS DATE)
          END AS "born",
          CASE
            WHEN "hired" IS NULL
            THEN NULL
            WHEN EPOCH_US("hired") IS NULL
            THEN CASE
              WHEN "hired" > CAST('1970-01-01' AS TIMESTAMP)
              THEN 9223372036854775807
              ELSE -9223372036854775807
            END
            WHEN EPOCH_US("hired") < -9223372036854775807
            THEN -9223372036854775807
            ELSE EPOCH_US("hired")
          END AS "hired"
        FROM (
          SELECT
            *
          FROM "memory"."main"."source"
        )
      ) AS "t0"
    ) AS "t8"
    LEFT OUTER JOIN (
      SELECT
        "t26"."c4" AS "k0_c4",
        "t26"."c8" AS "k0_c8",
        "t26"."before" AS "before4",
        "t26"."after" AS "after4",
        "t26"."tied" AS "tied4"
      FROM (
        SELECT
          "t13"."c4",
          "t13"."c8",
          "t13"."low",
          "t13"."high",
          "t13"."n",
          MAX("t13"."high") OVER (
            PARTITION BY "t13"."c4"
            ORDER BY "t13"."c8" ASC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 preceding
          ) AS "before",
          MIN("t13"."low") OVER (
            PARTITION BY "t13"."c4"
            ORDER BY "t13"."c8" DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 preceding
          ) AS "after",
          FALSE AS "tied"
        FROM (
          SELECT
            "t7"."c4",
            "t7"."c8",
            MIN("t7"."c9") AS "low",
            MAX("t7"."c9") AS "high",
            COUNT(*) AS "n"
          FROM (
            SELECT
              "t0"."area" AS "c0",
              "t0"."phone" AS "c1",
              "t0"."zip" AS "c2",
              "t0"."city" AS "c3",
              "t0"."state" AS "c4",
              "t0"."married" AS "c5",
              "t0"."exemption" AS "c6",
              "t0"."country" AS "c7",
              "t0"."rate" AS "c8",
              "t0"."salary" AS "c9",
              "t0"."born" AS "c10",
              "t0"."hired" AS "c11"
            FROM (
              SELECT
                CAST("area" AS BIGINT) AS "area",
                CAST("phone" AS TEXT) COLLATE C AS "phone",
                CAST("zip" AS BIGINT) AS "zip",
                CAST("city" AS TEXT) COLLATE C AS "city",
                CAST("state" AS TEXT) COLLATE C AS "state",
                "married" AS "married",
                "exemption" AS "exemption",
                CAST("country" AS TEXT) COLLATE C AS "country",
                CASE
                  WHEN ISNAN("rate")
                  THEN NULL
                  WHEN "rate" = 0
                  THEN 0.0
                  ELSE CAST("rate" AS DOUBLE)
                END AS "rate",
                CAST("salary" AS BIGINT) AS "salary",
                CASE
                  WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                  THEN -2147483647
                  ELSE "born" - CAST('1970-01-01' AS DATE)
                END AS "born",
                CASE
                  WHEN "hired" IS NULL
                  THEN NULL
                  WHEN EPOCH_US("hired") IS NULL
                  THEN CASE
                    WHEN "hired" > CAST('1970-01-01' AS TIMESTAMP)
                    THEN 9223372036854775807
                    ELSE -9223372036854775807
                  END
                  WHEN EPOCH_US("hired") < -9223372036854775807
                  THEN -9223372036854775807
                  ELSE EPOCH_US("hired")
                END AS "hired"
              FROM (
                SELECT
                  *
                FROM "memory"."main"."source"
              )
            ) AS "t0"
            WHERE
              NOT "t0"."state" IS NULL AND NOT "t0"."rate" IS NULL AND NOT "t0"."salary" IS NULL
          ) AS "t7"
          GROUP BY
            1,
            2
        ) AS "t13"
      ) AS "t26"
      WHERE
        "t26"."tied"
        OR (
          "t26"."low" > "t26"."after"
        )
        OR (
          "t26"."before" > "t26"."low"
        )
        OR (
          "t26"."tied"
          OR (
            "t26"."high" > "t26"."after"
          )
          OR (
            "t26"."before" > "t26"."high"
          )
        )
    ) AS "t35"
      ON "t8"."c4" = "t35"."k0_c4" AND "t8"."c8" = "t35"."k0_c8"
    LEFT OUTER JOIN (
      SELECT
        "t49"."c10" AS "k1_c10",
        "t49"."before" AS "before5",
        "t49"."after" AS "after5",
        "t49"."tied" AS "tied5"
      FROM (
        SELECT
          "t48"."c10",
          "t48"."low",
          "t48"."high",
          "t48"."n",
          "t48"."number",
          "t48"."least",
          "t48"."most",
          "t48"."bucket",
          GREATEST(
            COALESCE("t48"."before", "t48"."earlier"),
            COALESCE("t48"."earlier", "t48"."before")
          ) AS "before",
          LEAST(COALESCE("t48"."after", "t48"."later"), COALESCE("t48"."later", "t48"."after")) AS "after",
          "t48"."tied",
          "t48"."near",
          "t48"."earlier",
          "t48"."later"
        FROM (
          SELECT
            "t39"."c10",
            "t39"."low",
            "t39"."high",
            "t39"."n",
            "t39"."number",
            "t39"."least",
            "t39"."most",
            "t39"."bucket",
            "t39"."before",
            "t39"."after",
            "t39"."tied",
            "t47"."near",
            "t47"."earlier",
            "t47"."later"
          FROM "t37" AS "t39"
          INNER JOIN (
            SELECT
              "t45"."near",
              MAX("t45"."high") FILTER(WHERE
                "t45"."bucket" < "t45"."near") AS "earlier",
              MIN("t45"."low") FILTER(WHERE
                "t45"."bucket" > "t45"."near") AS "later"
            FROM (
              SELECT
                "t44"."near",
                "t42"."bucket",
                "t42"."low",
                "t42"."high"
              FROM (
                SELECT
                  "t41"."bucket" AS "near"
                FROM "t40" AS "t41"
              ) AS "t44"
              CROSS JOIN "t40" AS "t42"
            ) AS "t45"
            GROUP BY
              1
          ) AS "t47"
            ON "t39"."bucket" = "t47"."near"
        ) AS "t48"
      ) AS "t49"
      WHERE
        "t49"."tied"
        OR (
          "t49"."low" > "t49"."after"
        )
        OR (
          "t49"."before" > "t49"."low"
        )
        OR (
          "t49"."tied"
          OR (
            "t49"."high" > "t49"."after"
          )
          OR (
            "t49"."before" > "t49"."high"
          )
        )
    ) AS "t51"
      ON "t8"."c10" = "t51"."k1_c10"
    LEFT OUTER JOIN (
      SELECT
        "t11"."c2" AS "k2_c2",
        "t11"."n6_1"
      FROM (
        SELECT
          "t6"."c2",
          COUNT(*) AS "n6_1"
        FROM (
          SELECT
            "t0"."area" AS "c0",
            "t0"."phone" AS "c1",
            "t0"."zip" AS "c2",
            "t0"."city" AS "c3",
            "t0"."state" AS "c4",
            "t0"."married" AS "c5",
            "t0"."exemption" AS "c6",
            "t0"."country" AS "c7",
            "t0"."rate" AS "c8",
            "t0"."salary" AS "c9",
            "t0"."born" AS "c10",
            "t0"."hired" AS "c11"
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS "area",
              CAST("phone" AS TEXT) COLLATE C AS "phone",
              CAST("zip" AS BIGINT) AS "zip",
              CAST("city" AS TEXT) COLLATE C AS "city",
              CAST("state" AS TEXT) COLLATE C AS "state",
              "married" AS "married",
              "exemption" AS "exemption",
              CAST("country" AS TEXT) COLLATE C AS "country",
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS "rate",
              CAST("salary" AS BIGINT) AS "salary",
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS "born",
              CASE
                WHEN "hired" IS NULL
                THEN NULL
                WHEN EPOCH_US("hired") IS NULL
                THEN CASE
                  WHEN "hired" > CAST('1970-01-01' AS TIMESTAMP)
                  THEN 9223372036854775807
                  ELSE -9223372036854775807
                END
                WHEN EPOCH_US("hired") < -9223372036854775807
                THEN -9223372036854775807
                ELSE EPOCH_US("hired")
              END AS "hired"
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "t0"
          WHERE
            NOT "t0"."zip" IS NULL AND NOT "t0"."salary" IS NULL
        ) AS "t6"
        GROUP BY
          1
      ) AS "t11"
    ) AS "t21"
      ON "t8"."c0" = "t21"."k2_c2"
    LEFT OUTER JOIN (
      SELECT
        "t10"."c0" AS "k3_c0",
        "t10"."n6_2"
      FROM (
        SELECT
          "t5"."c0",
          COUNT(*) AS "n6_2"
        FROM (
          SELECT
            "t0"."area" AS "c0",
            "t0"."phone" AS "c1",
            "t0"."zip" AS "c2",
            "t0"."city" AS "c3",
            "t0"."state" AS "c4",
            "t0"."married" AS "c5",
            "t0"."exemption" AS "c6",
            "t0"."country" AS "c7",
            "t0"."rate" AS "c8",
            "t0"."salary" AS "c9",
            "t0"."born" AS "c10",
            "t0"."hired" AS "c11"
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS "area",
              CAST("phone" AS TEXT) COLLATE C AS "phone",
              CAST("zip" AS BIGINT) AS "zip",
              CAST("city" AS TEXT) COLLATE C AS "city",
              CAST("state" AS TEXT) COLLATE C AS "state",
              "married" AS "married",
              "exemption" AS "exemption",
              CAST("country" AS TEXT) COLLATE C AS "country",
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS "rate",
              CAST("salary" AS BIGINT) AS "salary",
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS "born",
              CASE
                WHEN "hired" IS NULL
                THEN NULL
                WHEN EPOCH_US("hired") IS NULL
                THEN CASE
                  WHEN "hired" > CAST('1970-01-01' AS TIMESTAMP)
                  THEN 9223372036854775807
                  ELSE -9223372036854775807
                END
                WHEN EPOCH_US("hired") < -9223372036854775807
                THEN -9223372036854775807
                ELSE EPOCH_US("hired")
              END AS "hired"
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "t0"
          WHERE
            NOT "t0"."area" IS NULL AND NOT "t0"."rate" IS NULL
        ) AS "t5"
        GROUP BY
          1
      ) AS "t10"
    ) AS "t20"
      ON "t8"."c2" = "t20"."k3_c0"
    LEFT OUTER JOIN (
      SELECT
        "t12"."c0" AS "k5_c0",
        "t12"."c1" AS "k5_c1",
        "t12"."broken0"
      FROM (
        SELECT
          "t2"."c0",
          "t2"."c1",
          COUNT(*) > 1 AS "broken0"
        FROM (
          SELECT
            "t0"."area" AS "c0",
            "t0"."phone" AS "c1",
            "t0"."zip" AS "c2",
            "t0"."city" AS "c3",
            "t0"."state" AS "c4",
            "t0"."married" AS "c5",
            "t0"."exemption" AS "c6",
            "t0"."country" AS "c7",
            "t0"."rate" AS "c8",
            "t0"."salary" AS "c9",
            "t0"."born" AS "c10",
            "t0"."hired" AS "c11"
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS "area",
              CAST("phone" AS TEXT) COLLATE C AS "phone",
              CAST("zip" AS BIGINT) AS "zip",
              CAST("city" AS TEXT) COLLATE C AS "city",
              CAST("state" AS TEXT) COLLATE C AS "state",
              "married" AS "married",
              "exemption" AS "exemption",
              CAST("country" AS TEXT) COLLATE C AS "country",
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS "rate",
              CAST("salary" AS BIGINT) AS "salary",
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS "born",
              CASE
                WHEN "hired" IS NULL
                THEN NULL
                WHEN EPOCH_US("hired") IS NULL
                THEN CASE
                  WHEN "hired" > CAST('1970-01-01' AS TIMESTAMP)
                  THEN 9223372036854775807
                  ELSE -9223372036854775807
                END
                WHEN EPOCH_US("hired") < -9223372036854775807
                THEN -9223372036854775807
                ELSE EPOCH_US("hired")
              END AS "hired"
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "t0"
          WHERE
            NOT "t0"."area" IS NULL AND NOT "t0"."phone" IS NULL
        ) AS "t2"
        GROUP BY
          1,
          2
      ) AS "t12"
      WHERE
        "t12"."broken0"
    ) AS "t22"
      ON "t8"."c0" = "t22"."k5_c0" AND "t8"."c1" = "t22"."k5_c1"
    LEFT OUTER JOIN (
      SELECT
        "t15"."c2" AS "k6_c2",
        "t15"."broken1",
        "t15"."broken2"
      FROM (
        SELECT
          "t3"."c2",
          MIN("t3"."c3") <> MAX("t3"."c3") AS "broken1",
          MIN("t3"."c4") <> MAX("t3"."c4") AS "broken2"
        FROM (
          SELECT
            "t0"."area" AS "c0",
            "t0"."phone" AS "c1",
            "t0"."zip" AS "c2",
            "t0"."city" AS "c3",
            "t0"."state" AS "c4",
            "t0"."married" AS "c5",
            "t0"."exemption" AS "c6",
            "t0"."country" AS "c7",
            "t0"."rate" AS "c8",
            "t0"."salary" AS "c9",
            "t0"."born" AS "c10",
            "t0"."hired" AS "c11"
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS "area",
              CAST("phone" AS TEXT) COLLATE C AS "phone",
              CAST("zip" AS BIGINT) AS "zip",
              CAST("city" AS TEXT) COLLATE C AS "city",
              CAST("state" AS TEXT) COLLATE C AS "state",
              "married" AS "married",
              "exemption" AS "exemption",
              CAST("country" AS TEXT) COLLATE C AS "country",
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS "rate",
              CAST("salary" AS BIGINT) AS "salary",
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS "born",
              CASE
                WHEN "hired" IS NULL
                THEN NULL
                WHEN EPOCH_US("hired") IS NULL
                THEN CASE
                  WHEN "hired" > CAST('1970-01-01' AS TIMESTAMP)
                  THEN 9223372036854775807
                  ELSE -9223372036854775807
                END
                WHEN EPOCH_US("hired") < -9223372036854775807
                THEN -9223372036854775807
                ELSE EPOCH_US("hired")
              END AS "hired"
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "t0"
          WHERE
            NOT "t0"."zip" IS NULL
        ) AS "t3"
        GROUP BY
          1
      ) AS "t15"
      WHERE
        "t15"."broken1" OR "t15"."broken2"
    ) AS "t28"
      ON "t8"."c2" = "t28"."k6_c2"
    LEFT OUTER JOIN (
      SELECT
        "t19"."c4" AS "k7_c4",
        "t19"."c5" AS "k7_c5",
        "t19"."broken3"
      FROM (
        SELECT
          "t4"."c4",
          "t4"."c5",
          MIN("t4"."c6") FILTER(WHERE
            "t4"."c7" = 'US') <> MAX("t4"."c6") FILTER(WHERE
            "t4"."c7" = 'US') AS "broken3"
        FROM (
          SELECT
            "t0"."area" AS "c0",
            "t0"."phone" AS "c1",
            "t0"."zip" AS "c2",
            "t0"."city" AS "c3",
            "t0"."state" AS "c4",
            "t0"."married" AS "c5",
            "t0"."exemption" AS "c6",
            "t0"."country" AS "c7",
            "t0"."rate" AS "c8",
            "t0"."salary" AS "c9",
            "t0"."born" AS "c10",
            "t0"."hired" AS "c11"
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS "area",
              CAST("phone" AS TEXT) COLLATE C AS "phone",
              CAST("zip" AS BIGINT) AS "zip",
              CAST("city" AS TEXT) COLLATE C AS "city",
              CAST("state" AS TEXT) COLLATE C AS "state",
              "married" AS "married",
              "exemption" AS "exemption",
              CAST("country" AS TEXT) COLLATE C AS "country",
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS "rate",
              CAST("salary" AS BIGINT) AS "salary",
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS "born",
              CASE
                WHEN "hired" IS NULL
                THEN NULL
                WHEN EPOCH_US("hired") IS NULL
                THEN CASE
                  WHEN "hired" > CAST('1970-01-01' AS TIMESTAMP)
                  THEN 9223372036854775807
                  ELSE -9223372036854775807
                END
                WHEN EPOCH_US("hired") < -9223372036854775807
                THEN -9223372036854775807
                ELSE EPOCH_US("hired")
              END AS "hired"
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "t0"
          WHERE
            NOT "t0"."state" IS NULL AND NOT "t0"."married" IS NULL
        ) AS "t4"
        GROUP BY
          1,
          2
      ) AS "t19"
      WHERE
        "t19"."broken3"
    ) AS "t29"
      ON "t8"."c4" = "t29"."k7_c4" AND "t8"."c5" = "t29"."k7_c5"
  ) AS "t52"
) AS "t53"
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
