"""Who may come in: sessions, roles, origins, changes made once and recorded, the act log."""
