WITH "input" AS (
  SELECT
    CASE WHEN NOT (CAST("age" AS DOUBLE PRECISION) = 'NaN') THEN CAST("age" AS DOUBLE PRECISION) END AS "age",
    "favourite color" AS "favourite color"
  FROM "data"
), "leaves" AS (
  SELECT
    CASE
      WHEN "age" > 40.5E0 THEN 4
      WHEN "favourite color" IN ('blue', 'it''s') THEN 2
      ELSE 3
    END AS "leaf"
  FROM "input"
)
SELECT
  CASE "leaf"
    WHEN 2 THEN 1.0E0
    WHEN 3 THEN 0.125E0
    WHEN 4 THEN 0.75E0
  END AS "probability_no",
  CASE "leaf"
    WHEN 2 THEN 0.0E0
    WHEN 3 THEN 0.875E0
    WHEN 4 THEN 0.25E0
  END AS "probability_yes"
FROM "leaves"