"""The Prometheus series of links: their meters, state, journal and queue."""

from collections.abc import Mapping

from progressive.application.link.worker import LinkWorker
from progressive.domain.ids import LinkId
from progressive.runtime.series import Series, gauge


def link_series(workers: Mapping[LinkId, LinkWorker]) -> list[Series]:
    """Read when somebody asks."""
    return [
        gauge(
            "progressive_meter_cents",
            "Displayed meter, whole cents",
            lambda: [
                ((link, meter.id), meter.cents)
                for link, worker in workers.items()
                for meter in worker.view.meters
            ],
            *("link", "meter"),
        ),
        gauge(
            "progressive_link_up",
            "1 while the link takes wagers, here or on the node that leads it",
            lambda: [((link,), worker.view.state == "live") for link, worker in workers.items()],
            "link",
        ),
        gauge(
            "progressive_link_leads",
            "1 while this node writes the link",
            lambda: [((link,), worker.archivable is not None) for link, worker in workers.items()],
            "link",
        ),
        gauge(
            "progressive_queue_depth",
            "Messages waiting for the next batch",
            lambda: [((link,), worker.queue_depth) for link, worker in workers.items()],
            "link",
        ),
        gauge(
            "progressive_journal_seq",
            "Last durable record",
            lambda: [((link,), worker.view.seq) for link, worker in workers.items()],
            "link",
        ),
    ]
