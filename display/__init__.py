"""Sign pages: what the guests on the floor see. Shows amounts, never makes or changes one."""
