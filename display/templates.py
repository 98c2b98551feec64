"""The one Jinja environment of our pages: escapes what it fills in, and fails on unknown names.

The relay's page and all pages of the service are made by it.
"""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def page_templates(folder: Path) -> Environment:
    """Over the templates of one folder."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
