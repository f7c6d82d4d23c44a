"""XML of files that nobody vetted: no entities, no document type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probe.inventory.entries import InventoryError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # for types; defusedxml reads


def read_xml(text: str) -> Element:
    """Return the root element. InventoryError for broken XML, entities or a document type."""
    from defusedxml import DefusedXmlException  # noqa: PLC0415  # of these formats alone
    from defusedxml.ElementTree import ParseError, fromstring  # noqa: PLC0415  # the same

    try:
        root: Element = fromstring(text.encode(), forbid_dtd=True)
    except ParseError as error:
        raise InventoryError(f"{error}; correct the XML") from None
    except DefusedXmlException:
        raise InventoryError("it defines entities or a document type, which it does not need; remove them") from None
    return root


def plain_name(element: Element) -> str:
    """Return the name of an element without its namespace; empty for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
