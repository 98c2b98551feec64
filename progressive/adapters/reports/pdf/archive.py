"""What a PDF says about itself for archives: PDF/A-2b (ISO 19005-2), for files kept for years.

The library would write the time of the machine into it; here both times are that of printing.
"""

from datetime import UTC, datetime
from typing import Final

from markupsafe import Markup

COMPLIANCE: Final = "PDF/A-2B"
_ABOUT: Final = Markup(
    """\
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about=""
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"
 xmp:CreatorTool="{creator}"
 xmp:CreateDate="{at}"
 pdf:Producer="{creator}">
<pdfaid:part>2</pdfaid:part>
<pdfaid:conformance>B</pdfaid:conformance>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>"""
)


def about_text(title: str, subject: str, creator: str, printed_at: datetime) -> str:
    """As XMP. It has to agree with the document's other properties."""
    at = printed_at.astimezone(UTC).replace(microsecond=0).isoformat()
    return str(_ABOUT.format(title=title, subject=subject, creator=creator, at=at))
