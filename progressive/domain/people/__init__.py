"""Roles and what each may do, names, passwords. Sessions and files belong to outer layers."""
