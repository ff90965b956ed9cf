WITH "input" AS (
  SELECT
    "id" AS "kept_0",
    CAST("age" AS DOUBLE PRECISION) AS "age",
    "favourite color" AS "favourite color"
  FROM "data"
)
SELECT
  "kept_0" AS "id",
  CASE
    WHEN "age" > 40.5E0 THEN 'no'
    WHEN "favourite color" IN ('blue', 'it''s') THEN 'no'
    ELSE 'yes'
  END AS "prediction"
FROM "input"