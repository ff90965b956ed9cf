WITH "input" AS (
  SELECT
    CASE WHEN NOT (ISNAN(CAST("age" AS DOUBLE))) THEN CAST("age" AS DOUBLE) END AS "age",
    "favourite color" AS "favourite color"
  FROM "data"
), "trees_0" AS (
  SELECT
    "age" AS "age",
    "favourite color" AS "favourite color",
    0.25E0 AS "raw_0",
    0.5E0 AS "raw_1",
    0.75E0 AS "raw_2",
    CASE
      WHEN "age" > 40.5E0 THEN 0.5E0
      ELSE -0.25E0
    END AS "tree_0",
    CASE
      WHEN "age" > 40.5E0 THEN 0.5E0
      ELSE -1.25E0
    END AS "tree_1",
    CASE
      WHEN "age" > 40.5E0 THEN 0.5E0
      ELSE -2.25E0
    END AS "tree_2",
    CASE
      WHEN "favourite color" IN ('blue', 'it''s') THEN 0.125E0
      ELSE -1.5E0
    END AS "tree_3",
    CASE
      WHEN "favourite color" IN ('blue', 'it''s') THEN 0.125E0
      ELSE -0.5E0
    END AS "tree_4",
    CASE
      WHEN "favourite color" IN ('blue', 'it''s') THEN 0.125E0
      ELSE 0.5E0
    END AS "tree_5"
  FROM "input"
), "scores" AS (
  SELECT
    "raw_0" + "tree_0" + "tree_3" AS "raw_0",
    "raw_1" + "tree_1" + "tree_4" AS "raw_1",
    "raw_2" + "tree_2" + "tree_5" AS "raw_2"
  FROM "trees_0"
), "powers" AS (
  SELECT
    EXP(CASE WHEN ("raw_0" - GREATEST("raw_0", "raw_1", "raw_2")) > 700E0 THEN 700E0 WHEN ("raw_0" - GREATEST("raw_0", "raw_1", "raw_2")) < -700E0 THEN -700E0 ELSE ("raw_0" - GREATEST("raw_0", "raw_1", "raw_2")) END) AS "power_0",
    EXP(CASE WHEN ("raw_1" - GREATEST("raw_0", "raw_1", "raw_2")) > 700E0 THEN 700E0 WHEN ("raw_1" - GREATEST("raw_0", "raw_1", "raw_2")) < -700E0 THEN -700E0 ELSE ("raw_1" - GREATEST("raw_0", "raw_1", "raw_2")) END) AS "power_1",
    EXP(CASE WHEN ("raw_2" - GREATEST("raw_0", "raw_1", "raw_2")) > 700E0 THEN 700E0 WHEN ("raw_2" - GREATEST("raw_0", "raw_1", "raw_2")) < -700E0 THEN -700E0 ELSE ("raw_2" - GREATEST("raw_0", "raw_1", "raw_2")) END) AS "power_2"
  FROM "scores"
)
SELECT
  "power_0" / ("power_0" + "power_1" + "power_2") AS "probability_1",
  "power_1" / ("power_0" + "power_1" + "power_2") AS "probability_2",
  "power_2" / ("power_0" + "power_1" + "power_2") AS "probability_3"
FROM "powers"