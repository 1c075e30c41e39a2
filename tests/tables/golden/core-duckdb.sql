WITH "candling_part_22" AS (
  SELECT
    "candling_part_13"."c10",
    "candling_part_13"."low",
    "candling_part_13"."high",
    "candling_part_13"."n",
    CAST("candling_part_13"."c10" AS DOUBLE) AS "number"
  FROM (
    SELECT
      "candling_part_8"."c10",
      MIN("candling_part_8"."c11") AS "low",
      MAX("candling_part_8"."c11") AS "high",
      COUNT(*) AS "n"
    FROM (
      SELECT
        *
      FROM (
        SELECT
          CAST("area" AS BIGINT) AS c0,
          CAST("phone" AS TEXT) COLLATE C AS c1,
          CAST("zip" AS BIGINT) AS c2,
          CAST("city" AS TEXT) COLLATE C AS c3,
          CAST("state" AS TEXT) COLLATE C AS c4,
          "married" AS c5,
          "exemption" AS c6,
          CAST("country" AS TEXT) COLLATE C AS c7,
          CASE
            WHEN ISNAN("rate")
            THEN NULL
            WHEN "rate" = 0
            THEN 0.0
            ELSE CAST("rate" AS DOUBLE)
          END AS c8,
          CAST("salary" AS BIGINT) AS c9,
          CASE
            WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
            THEN -2147483647
            ELSE "born" - CAST('1970-01-01' AS DATE)
          END AS c10,
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
          END AS c11
        FROM (
          SELECT
            *
          FROM "memory"."main"."source"
        )
      ) AS "candling_part_0"
      WHERE
        NOT "candling_part_0"."c10" IS NULL AND NOT "candling_part_0"."c11" IS NULL
    ) AS "candling_part_8"
    GROUP BY
      1
  ) AS "candling_part_13"
), "candling_part_36" AS (
  SELECT
    "candling_part_35"."c10",
    "candling_part_35"."low",
    "candling_part_35"."high",
    "candling_part_35"."n",
    "candling_part_35"."number",
    "candling_part_35"."least",
    "candling_part_35"."most",
    "candling_part_35"."bucket",
    MAX("candling_part_35"."high") OVER (
      PARTITION BY "candling_part_35"."bucket"
      ORDER BY "candling_part_35"."c10" ASC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 preceding
    ) AS "before",
    MIN("candling_part_35"."low") OVER (
      PARTITION BY "candling_part_35"."bucket"
      ORDER BY "candling_part_35"."c10" DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 preceding
    ) AS "after",
    FALSE AS "tied"
  FROM (
    SELECT
      "candling_part_33"."c10",
      "candling_part_33"."low",
      "candling_part_33"."high",
      "candling_part_33"."n",
      "candling_part_33"."number",
      "candling_part_33"."least",
      "candling_part_33"."most",
      COALESCE(
        CAST(FLOOR(
          CASE
            WHEN (
              (
                "candling_part_33"."number" / 2
              ) - (
                "candling_part_33"."least" / 2
              )
            ) <= (
              NULLIF((
                "candling_part_33"."most" / 2
              ) - (
                "candling_part_33"."least" / 2
              ), 0.0) * 1e-09
            )
            THEN 0.0
            ELSE (
              (
                "candling_part_33"."number" / 2
              ) - (
                "candling_part_33"."least" / 2
              )
            ) / NULLIF((
              "candling_part_33"."most" / 2
            ) - (
              "candling_part_33"."least" / 2
            ), 0.0)
          END * 128
        ) AS BIGINT),
        0
      ) AS "bucket"
    FROM (
      SELECT
        "candling_part_29"."c10",
        "candling_part_29"."low",
        "candling_part_29"."high",
        "candling_part_29"."n",
        "candling_part_29"."number",
        "candling_part_31"."least",
        "candling_part_31"."most"
      FROM "candling_part_22" AS "candling_part_29"
      CROSS JOIN (
        SELECT
          MIN("candling_part_26"."number") AS "least",
          MAX("candling_part_26"."number") AS "most"
        FROM "candling_part_22" AS "candling_part_26"
      ) AS "candling_part_31"
    ) AS "candling_part_33"
  ) AS "candling_part_35"
), "candling_part_39" AS (
  SELECT
    "candling_part_37"."bucket",
    MIN("candling_part_37"."low") AS "low",
    MAX("candling_part_37"."high") AS "high"
  FROM "candling_part_36" AS "candling_part_37"
  GROUP BY
    1
)
SELECT
  "candling_part_52"."c0",
  "candling_part_52"."c1",
  "candling_part_52"."c2",
  "candling_part_52"."c3",
  "candling_part_52"."c4",
  "candling_part_52"."c5",
  "candling_part_52"."c6",
  "candling_part_52"."c7",
  "candling_part_52"."c8",
  "candling_part_52"."c9",
  "candling_part_52"."c10",
  "candling_part_52"."c11",
  COUNT(*) AS "n"
FROM (
  SELECT
    CASE
      WHEN "candling_part_51"."r0" OR "candling_part_51"."r6"
      THEN "candling_part_51"."c0"
      ELSE CAST(NULL AS BIGINT)
    END AS "c0",
    CASE
      WHEN "candling_part_51"."r0"
      THEN "candling_part_51"."c1"
      ELSE CAST(NULL AS TEXT)
    END AS "c1",
    CASE
      WHEN "candling_part_51"."r1"
      OR (
        "candling_part_51"."r2" OR "candling_part_51"."r6"
      )
      THEN "candling_part_51"."c2"
      ELSE CAST(NULL AS BIGINT)
    END AS "c2",
    CASE
      WHEN "candling_part_51"."r1"
      THEN "candling_part_51"."c3"
      ELSE CAST(NULL AS TEXT)
    END AS "c3",
    CASE
      WHEN "candling_part_51"."r2"
      OR (
        "candling_part_51"."r3" OR "candling_part_51"."r4"
      )
      THEN "candling_part_51"."c4"
      ELSE CAST(NULL AS TEXT)
    END AS "c4",
    CASE
      WHEN "candling_part_51"."r3"
      THEN "candling_part_51"."c5"
      ELSE CAST(NULL AS BOOLEAN)
    END AS "c5",
    CASE
      WHEN "candling_part_51"."r3"
      THEN "candling_part_51"."c6"
      ELSE CAST(NULL AS DECIMAL(10, 2))
    END AS "c6",
    CASE
      WHEN "candling_part_51"."r3"
      THEN "candling_part_51"."c7"
      ELSE CAST(NULL AS TEXT)
    END AS "c7",
    CASE
      WHEN "candling_part_51"."r4"
      OR (
        "candling_part_51"."r6" OR "candling_part_51"."r7"
      )
      THEN "candling_part_51"."c8"
      ELSE CAST(NULL AS DOUBLE)
    END AS "c8",
    CASE
      WHEN "candling_part_51"."r4" OR "candling_part_51"."r6"
      THEN "candling_part_51"."c9"
      ELSE CAST(NULL AS BIGINT)
    END AS "c9",
    CASE
      WHEN "candling_part_51"."r5"
      THEN "candling_part_51"."c10"
      ELSE CAST(NULL AS BIGINT)
    END AS "c10",
    CASE
      WHEN "candling_part_51"."r5"
      THEN "candling_part_51"."c11"
      ELSE CAST(NULL AS BIGINT)
    END AS "c11"
  FROM (
    SELECT
      "candling_part_1"."c0",
      "candling_part_1"."c1",
      "candling_part_1"."c2",
      "candling_part_1"."c3",
      "candling_part_1"."c4",
      "candling_part_1"."c5",
      "candling_part_1"."c6",
      "candling_part_1"."c7",
      "candling_part_1"."c8",
      "candling_part_1"."c9",
      "candling_part_1"."c10",
      "candling_part_1"."c11",
      "candling_part_21"."broken0" AND TRUE AS "r0",
      "candling_part_27"."broken1" AND (
        NOT "candling_part_1"."c3" IS NULL
      ) AS "r1",
      "candling_part_27"."broken2" AND (
        NOT "candling_part_1"."c4" IS NULL
      ) AS "r2",
      "candling_part_28"."broken3"
      AND (
        (
          NOT "candling_part_1"."c6" IS NULL
        ) AND (
          "candling_part_1"."c7" = 'US'
        )
      ) AS "r3",
      (
        "candling_part_34"."tied4"
        OR (
          "candling_part_1"."c9" > "candling_part_34"."after4"
        )
        OR (
          "candling_part_34"."before4" > "candling_part_1"."c9"
        )
      )
      AND TRUE AS "r4",
      (
        "candling_part_50"."tied5"
        OR (
          "candling_part_1"."c11" > "candling_part_50"."after5"
        )
        OR (
          "candling_part_50"."before5" > "candling_part_1"."c11"
        )
      )
      AND TRUE AS "r5",
      (
        (
          NOT "candling_part_1"."c0" IS NULL
        )
        AND (
          NOT "candling_part_1"."c8" IS NULL
        )
        AND (
          "candling_part_20"."n6_1" > 0
        )
      )
      OR (
        (
          NOT "candling_part_1"."c2" IS NULL
        )
        AND (
          NOT "candling_part_1"."c9" IS NULL
        )
        AND (
          "candling_part_19"."n6_2" > 0
        )
      ) AS "r6",
      (
        NOT "candling_part_1"."c8" IS NULL
      ) AND (
        "candling_part_1"."c8" > 100
      ) AS "r7"
    FROM (
      SELECT
        CAST("area" AS BIGINT) AS c0,
        CAST("phone" AS TEXT) COLLATE C AS c1,
        CAST("zip" AS BIGINT) AS c2,
        CAST("city" AS TEXT) COLLATE C AS c3,
        CAST("state" AS TEXT) COLLATE C AS c4,
        "married" AS c5,
        "exemption" AS c6,
        CAST("country" AS TEXT) COLLATE C AS c7,
        CASE
          WHEN ISNAN("rate")
          THEN NULL
          WHEN "rate" = 0
          THEN 0.0
          ELSE CAST("rate" AS DOUBLE)
        END AS c8,
        CAST("salary" AS BIGINT) AS c9,
        CASE
          WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
          THEN -2147483647
          ELSE "born" - CAST('1970-01-01' AS DATE)
        END AS c10,
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
        END AS c11
      FROM (
        SELECT
          *
        FROM "memory"."main"."source"
      )
    ) AS "candling_part_1"
    LEFT OUTER JOIN (
      SELECT
        "candling_part_25"."c4" AS "k0_c4",
        "candling_part_25"."c8" AS "k0_c8",
        "candling_part_25"."before" AS "before4",
        "candling_part_25"."after" AS "after4",
        "candling_part_25"."tied" AS "tied4"
      FROM (
        SELECT
          "candling_part_12"."c4",
          "candling_part_12"."c8",
          "candling_part_12"."low",
          "candling_part_12"."high",
          "candling_part_12"."n",
          MAX("candling_part_12"."high") OVER (
            PARTITION BY "candling_part_12"."c4"
            ORDER BY "candling_part_12"."c8" ASC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 preceding
          ) AS "before",
          MIN("candling_part_12"."low") OVER (
            PARTITION BY "candling_part_12"."c4"
            ORDER BY "candling_part_12"."c8" DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 preceding
          ) AS "after",
          FALSE AS "tied"
        FROM (
          SELECT
            "candling_part_7"."c4",
            "candling_part_7"."c8",
            MIN("candling_part_7"."c9") AS "low",
            MAX("candling_part_7"."c9") AS "high",
            COUNT(*) AS "n"
          FROM (
            SELECT
              *
            FROM (
              SELECT
                CAST("area" AS BIGINT) AS c0,
                CAST("phone" AS TEXT) COLLATE C AS c1,
                CAST("zip" AS BIGINT) AS c2,
                CAST("city" AS TEXT) COLLATE C AS c3,
                CAST("state" AS TEXT) COLLATE C AS c4,
                "married" AS c5,
                "exemption" AS c6,
                CAST("country" AS TEXT) COLLATE C AS c7,
                CASE
                  WHEN ISNAN("rate")
                  THEN NULL
                  WHEN "rate" = 0
                  THEN 0.0
                  ELSE CAST("rate" AS DOUBLE)
                END AS c8,
                CAST("salary" AS BIGINT) AS c9,
                CASE
                  WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                  THEN -2147483647
                  ELSE "born" - CAST('1970-01-01' AS DATE)
                END AS c10,
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
                END AS c11
              FROM (
                SELECT
                  *
                FROM "memory"."main"."source"
              )
            ) AS "candling_part_0"
            WHERE
              NOT "candling_part_0"."c4" IS NULL
              AND NOT "candling_part_0"."c8" IS NULL
              AND NOT "candling_part_0"."c9" IS NULL
          ) AS "candling_part_7"
          GROUP BY
            1,
            2
        ) AS "candling_part_12"
      ) AS "candling_part_25"
      WHERE
        "candling_part_25"."tied"
        OR (
          "candling_part_25"."low" > "candling_part_25"."after"
        )
        OR (
          "candling_part_25"."before" > "candling_part_25"."low"
        )
        OR (
          "candling_part_25"."tied"
          OR (
            "candling_part_25"."high" > "candling_part_25"."after"
          )
          OR (
            "candling_part_25"."before" > "candling_part_25"."high"
          )
        )
    ) AS "candling_part_34"
      ON "candling_part_1"."c4" = "candling_part_34"."k0_c4"
      AND "candling_part_1"."c8" = "candling_part_34"."k0_c8"
    LEFT OUTER JOIN (
      SELECT
        "candling_part_48"."c10" AS "k1_c10",
        "candling_part_48"."before" AS "before5",
        "candling_part_48"."after" AS "after5",
        "candling_part_48"."tied" AS "tied5"
      FROM (
        SELECT
          "candling_part_47"."c10",
          "candling_part_47"."low",
          "candling_part_47"."high",
          "candling_part_47"."n",
          "candling_part_47"."number",
          "candling_part_47"."least",
          "candling_part_47"."most",
          "candling_part_47"."bucket",
          GREATEST(
            COALESCE("candling_part_47"."before", "candling_part_47"."earlier"),
            COALESCE("candling_part_47"."earlier", "candling_part_47"."before")
          ) AS "before",
          LEAST(
            COALESCE("candling_part_47"."after", "candling_part_47"."later"),
            COALESCE("candling_part_47"."later", "candling_part_47"."after")
          ) AS "after",
          "candling_part_47"."tied",
          "candling_part_47"."near",
          "candling_part_47"."earlier",
          "candling_part_47"."later"
        FROM (
          SELECT
            "candling_part_38"."c10",
            "candling_part_38"."low",
            "candling_part_38"."high",
            "candling_part_38"."n",
            "candling_part_38"."number",
            "candling_part_38"."least",
            "candling_part_38"."most",
            "candling_part_38"."bucket",
            "candling_part_38"."before",
            "candling_part_38"."after",
            "candling_part_38"."tied",
            "candling_part_46"."near",
            "candling_part_46"."earlier",
            "candling_part_46"."later"
          FROM "candling_part_36" AS "candling_part_38"
          INNER JOIN (
            SELECT
              "candling_part_44"."near",
              MAX("candling_part_44"."high") FILTER(WHERE
                "candling_part_44"."bucket" < "candling_part_44"."near") AS "earlier",
              MIN("candling_part_44"."low") FILTER(WHERE
                "candling_part_44"."bucket" > "candling_part_44"."near") AS "later"
            FROM (
              SELECT
                "candling_part_43"."near",
                "candling_part_41"."bucket",
                "candling_part_41"."low",
                "candling_part_41"."high"
              FROM (
                SELECT
                  "candling_part_40"."bucket" AS "near"
                FROM "candling_part_39" AS "candling_part_40"
              ) AS "candling_part_43"
              CROSS JOIN "candling_part_39" AS "candling_part_41"
            ) AS "candling_part_44"
            GROUP BY
              1
          ) AS "candling_part_46"
            ON "candling_part_38"."bucket" = "candling_part_46"."near"
        ) AS "candling_part_47"
      ) AS "candling_part_48"
      WHERE
        "candling_part_48"."tied"
        OR (
          "candling_part_48"."low" > "candling_part_48"."after"
        )
        OR (
          "candling_part_48"."before" > "candling_part_48"."low"
        )
        OR (
          "candling_part_48"."tied"
          OR (
            "candling_part_48"."high" > "candling_part_48"."after"
          )
          OR (
            "candling_part_48"."before" > "candling_part_48"."high"
          )
        )
    ) AS "candling_part_50"
      ON "candling_part_1"."c10" = "candling_part_50"."k1_c10"
    LEFT OUTER JOIN (
      SELECT
        "candling_part_10"."c2" AS "k2_c2",
        "candling_part_10"."n6_1"
      FROM (
        SELECT
          "candling_part_6"."c2",
          COUNT(*) AS "n6_1"
        FROM (
          SELECT
            *
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS c0,
              CAST("phone" AS TEXT) COLLATE C AS c1,
              CAST("zip" AS BIGINT) AS c2,
              CAST("city" AS TEXT) COLLATE C AS c3,
              CAST("state" AS TEXT) COLLATE C AS c4,
              "married" AS c5,
              "exemption" AS c6,
              CAST("country" AS TEXT) COLLATE C AS c7,
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS c8,
              CAST("salary" AS BIGINT) AS c9,
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS c10,
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
              END AS c11
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "candling_part_0"
          WHERE
            NOT "candling_part_0"."c2" IS NULL AND NOT "candling_part_0"."c9" IS NULL
        ) AS "candling_part_6"
        GROUP BY
          1
      ) AS "candling_part_10"
    ) AS "candling_part_20"
      ON "candling_part_1"."c0" = "candling_part_20"."k2_c2"
    LEFT OUTER JOIN (
      SELECT
        "candling_part_9"."c0" AS "k3_c0",
        "candling_part_9"."n6_2"
      FROM (
        SELECT
          "candling_part_5"."c0",
          COUNT(*) AS "n6_2"
        FROM (
          SELECT
            *
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS c0,
              CAST("phone" AS TEXT) COLLATE C AS c1,
              CAST("zip" AS BIGINT) AS c2,
              CAST("city" AS TEXT) COLLATE C AS c3,
              CAST("state" AS TEXT) COLLATE C AS c4,
              "married" AS c5,
              "exemption" AS c6,
              CAST("country" AS TEXT) COLLATE C AS c7,
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS c8,
              CAST("salary" AS BIGINT) AS c9,
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS c10,
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
              END AS c11
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "candling_part_0"
          WHERE
            NOT "candling_part_0"."c0" IS NULL AND NOT "candling_part_0"."c8" IS NULL
        ) AS "candling_part_5"
        GROUP BY
          1
      ) AS "candling_part_9"
    ) AS "candling_part_19"
      ON "candling_part_1"."c2" = "candling_part_19"."k3_c0"
    LEFT OUTER JOIN (
      SELECT
        "candling_part_11"."c0" AS "k5_c0",
        "candling_part_11"."c1" AS "k5_c1",
        "candling_part_11"."broken0"
      FROM (
        SELECT
          "candling_part_2"."c0",
          "candling_part_2"."c1",
          COUNT(*) > 1 AS "broken0"
        FROM (
          SELECT
            *
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS c0,
              CAST("phone" AS TEXT) COLLATE C AS c1,
              CAST("zip" AS BIGINT) AS c2,
              CAST("city" AS TEXT) COLLATE C AS c3,
              CAST("state" AS TEXT) COLLATE C AS c4,
              "married" AS c5,
              "exemption" AS c6,
              CAST("country" AS TEXT) COLLATE C AS c7,
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS c8,
              CAST("salary" AS BIGINT) AS c9,
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS c10,
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
              END AS c11
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "candling_part_0"
          WHERE
            NOT "candling_part_0"."c0" IS NULL AND NOT "candling_part_0"."c1" IS NULL
        ) AS "candling_part_2"
        GROUP BY
          1,
          2
      ) AS "candling_part_11"
      WHERE
        "candling_part_11"."broken0"
    ) AS "candling_part_21"
      ON "candling_part_1"."c0" = "candling_part_21"."k5_c0"
      AND "candling_part_1"."c1" = "candling_part_21"."k5_c1"
    LEFT OUTER JOIN (
      SELECT
        "candling_part_14"."c2" AS "k6_c2",
        "candling_part_14"."broken1",
        "candling_part_14"."broken2"
      FROM (
        SELECT
          "candling_part_3"."c2",
          MIN("candling_part_3"."c3") <> MAX("candling_part_3"."c3") AS "broken1",
          MIN("candling_part_3"."c4") <> MAX("candling_part_3"."c4") AS "broken2"
        FROM (
          SELECT
            *
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS c0,
              CAST("phone" AS TEXT) COLLATE C AS c1,
              CAST("zip" AS BIGINT) AS c2,
              CAST("city" AS TEXT) COLLATE C AS c3,
              CAST("state" AS TEXT) COLLATE C AS c4,
              "married" AS c5,
              "exemption" AS c6,
              CAST("country" AS TEXT) COLLATE C AS c7,
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS c8,
              CAST("salary" AS BIGINT) AS c9,
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS c10,
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
              END AS c11
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "candling_part_0"
          WHERE
            NOT "candling_part_0"."c2" IS NULL
        ) AS "candling_part_3"
        GROUP BY
          1
      ) AS "candling_part_14"
      WHERE
        "candling_part_14"."broken1" OR "candling_part_14"."broken2"
    ) AS "candling_part_27"
      ON "candling_part_1"."c2" = "candling_part_27"."k6_c2"
    LEFT OUTER JOIN (
      SELECT
        "candling_part_18"."c4" AS "k7_c4",
        "candling_part_18"."c5" AS "k7_c5",
        "candling_part_18"."broken3"
      FROM (
        SELECT
          "candling_part_4"."c4",
          "candling_part_4"."c5",
          MIN("candling_part_4"."c6") FILTER(WHERE
            "candling_part_4"."c7" = 'US') <> MAX("candling_part_4"."c6") FILTER(WHERE
            "candling_part_4"."c7" = 'US') AS "broken3"
        FROM (
          SELECT
            *
          FROM (
            SELECT
              CAST("area" AS BIGINT) AS c0,
              CAST("phone" AS TEXT) COLLATE C AS c1,
              CAST("zip" AS BIGINT) AS c2,
              CAST("city" AS TEXT) COLLATE C AS c3,
              CAST("state" AS TEXT) COLLATE C AS c4,
              "married" AS c5,
              "exemption" AS c6,
              CAST("country" AS TEXT) COLLATE C AS c7,
              CASE
                WHEN ISNAN("rate")
                THEN NULL
                WHEN "rate" = 0
                THEN 0.0
                ELSE CAST("rate" AS DOUBLE)
              END AS c8,
              CAST("salary" AS BIGINT) AS c9,
              CASE
                WHEN "born" - CAST('1970-01-01' AS DATE) < -2147483647
                THEN -2147483647
                ELSE "born" - CAST('1970-01-01' AS DATE)
              END AS c10,
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
              END AS c11
            FROM (
              SELECT
                *
              FROM "memory"."main"."source"
            )
          ) AS "candling_part_0"
          WHERE
            NOT "candling_part_0"."c4" IS NULL AND NOT "candling_part_0"."c5" IS NULL
        ) AS "candling_part_4"
        GROUP BY
          1,
          2
      ) AS "candling_part_18"
      WHERE
        "candling_part_18"."broken3"
    ) AS "candling_part_28"
      ON "candling_part_1"."c4" = "candling_part_28"."k7_c4"
      AND "candling_part_1"."c5" = "candling_part_28"."k7_c5"
  ) AS "candling_part_51"
) AS "candling_part_52"
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
