"""What `stability_report` counts: trees of drawn rows, compared with a given one."""
