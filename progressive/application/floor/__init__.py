"""Who drives each table, what is wrong on the floor, which alarms are open. Reads only."""
