"""The C library: found next to the package of the wheel, loaded, its functions and structures declared (rdkafka.h)."""

from __future__ import annotations

import ctypes
import sys
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path

from librdkafka_driver.configuration_table import bundled, load


class CMessage(ctypes.Structure):
    """rd_kafka_message_t, the same in every version from 0.11 on."""

    _fields_ = (
        ("err", c_int),
        ("rkt", c_void_p),
        ("partition", c_int32),
        ("payload", c_void_p),
        ("len", c_size_t),
        ("key", c_void_p),
        ("key_len", c_size_t),
        ("offset", c_int64),
        ("private", c_void_p),
    )


class CPartition(ctypes.Structure):
    """rd_kafka_topic_partition_t."""

    _fields_ = (
        ("topic", c_char_p),
        ("partition", c_int32),
        ("offset", c_int64),
        ("metadata", c_void_p),
        ("metadata_size", c_size_t),
        ("opaque", c_void_p),
        ("err", c_int),
        ("private", c_void_p),
    )


class CPartitions(ctypes.Structure):
    """rd_kafka_topic_partition_list_t."""

    _fields_ = (("cnt", c_int), ("size", c_int), ("elems", POINTER(CPartition)))


ON_DELIVERY = CFUNCTYPE(None, c_void_p, POINTER(CMessage), c_void_p)
ON_ERROR = CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_void_p)
ON_LOG = CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
ON_PARTITIONS = CFUNCTYPE(None, c_void_p, c_int, POINTER(CPartitions), c_void_p)
"""Of a rebalance and of a commit."""

_LIST = POINTER(CPartitions)
_SIGNATURES = (
    ("err2name", c_char_p, (c_int,)),
    ("err2str", c_char_p, (c_int,)),
    ("last_error", c_int, ()),
    ("conf_new", c_void_p, ()),
    ("conf_destroy", None, (c_void_p,)),
    ("conf_set", c_int, (c_void_p, c_char_p, c_char_p, c_char_p, c_size_t)),
    ("conf_set_dr_msg_cb", None, (c_void_p, ON_DELIVERY)),
    ("conf_set_error_cb", None, (c_void_p, ON_ERROR)),
    ("conf_set_log_cb", None, (c_void_p, ON_LOG)),
    ("conf_set_rebalance_cb", None, (c_void_p, ON_PARTITIONS)),
    ("conf_set_offset_commit_cb", None, (c_void_p, ON_PARTITIONS)),
    ("new", c_void_p, (c_int, c_void_p, c_char_p, c_size_t)),
    ("destroy", None, (c_void_p,)),
    ("name", c_char_p, (c_void_p,)),
    ("set_log_queue", c_int, (c_void_p, c_void_p)),
    ("poll", c_int, (c_void_p, c_int)),
    ("flush", c_int, (c_void_p, c_int)),
    ("topic_new", c_void_p, (c_void_p, c_char_p, c_void_p)),
    ("topic_destroy", None, (c_void_p,)),
    ("produce", c_int, (c_void_p, c_int32, c_int, c_char_p, c_size_t, c_char_p, c_size_t, c_void_p)),
    ("poll_set_consumer", c_int, (c_void_p,)),
    ("consumer_poll", POINTER(CMessage), (c_void_p, c_int)),
    ("consumer_close", c_int, (c_void_p,)),
    ("message_destroy", None, (POINTER(CMessage),)),
    ("topic_partition_list_new", _LIST, (c_int,)),
    ("topic_partition_list_add", POINTER(CPartition), (_LIST, c_char_p, c_int32)),
    ("topic_partition_list_destroy", None, (_LIST,)),
    ("assign", c_int, (c_void_p, _LIST)),
    ("subscribe", c_int, (c_void_p, _LIST)),
    ("queue_get_consumer", c_void_p, (c_void_p,)),
    ("queue_destroy", None, (c_void_p,)),
    ("commit_queue", c_int, (c_void_p, _LIST, c_void_p, ON_PARTITIONS, c_void_p)),
    # Below: not in every version.
    ("fatal_error", c_int, (c_void_p, c_char_p, c_size_t)),
    ("error_code", c_int, (c_void_p,)),
    ("error_string", c_char_p, (c_void_p,)),
    ("error_is_fatal", c_int, (c_void_p,)),
    ("error_is_retriable", c_int, (c_void_p,)),
    ("error_destroy", None, (c_void_p,)),
    ("init_transactions", c_void_p, (c_void_p, c_int)),
    ("begin_transaction", c_void_p, (c_void_p,)),
    ("commit_transaction", c_void_p, (c_void_p, c_int)),
    ("abort_transaction", c_void_p, (c_void_p, c_int)),
    ("send_offsets_to_transaction", c_void_p, (c_void_p, _LIST, c_void_p, c_int)),
    ("consumer_group_metadata_new", c_void_p, (c_char_p,)),
    ("consumer_group_metadata_destroy", None, (c_void_p,)),
    ("rebalance_protocol", c_char_p, (c_void_p,)),
    ("assignment_lost", c_int, (c_void_p,)),
    ("incremental_assign", c_void_p, (c_void_p, _LIST)),
    ("incremental_unassign", c_void_p, (c_void_p, _LIST)),
)
"""Name without `rd_kafka_`, result, arguments."""


class Functions:
    """The functions of one library, without their prefix; one that this version lacks raises AttributeError."""

    def __init__(self, library: ctypes.CDLL) -> None:
        for name, result, arguments in _SIGNATURES:
            if (function := getattr(library, f"rd_kafka_{name}", None)) is not None:
                function.restype, function.argtypes = result, arguments
                setattr(self, name, function)

    def __getattr__(self, name: str) -> ctypes._NamedFuncPointer:
        """Raise AttributeError for a function that this version lacks."""
        raise AttributeError(f"this librdkafka has no rd_kafka_{name}")


def _find() -> Path:
    for entry in sys.path:
        if any(Path(entry).glob("confluent_kafka*/")):
            try:
                return bundled(Path(entry) / "confluent_kafka")
            except OSError:
                continue  # this folder, which replaces the package
    raise ImportError("no folder on the path holds a confluent-kafka release with its C library")


LIBRARY = _find()
C = Functions(load(LIBRARY))


def text(raw: bytes | None) -> str:
    """Return a C string as text."""
    return (raw or b"").decode(errors="replace")
