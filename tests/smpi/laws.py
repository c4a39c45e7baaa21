"""Times in closed form, written apart from the program: T(K) = steps * alpha + traffic * K / beta."""
from dataclasses import dataclass
from math import inf, log2


@dataclass
class Law:
    steps: float
    traffic: float  # bytes that pass one after the other, per byte of the message
    most_bytes: float = inf  # of the message; larger ones are cut into tiles that overlap

    def seconds(self, size: float, alpha: float, beta: float) -> float:
        return self.steps * alpha + self.traffic * size / beta

    def crossover(self, other: "Law", alpha: float, beta: float) -> float | None:
        """The size at which both take the same time."""
        steps, traffic = other.steps - self.steps, self.traffic - other.traffic
        if steps * traffic <= 0:
            return None
        return steps / traffic * alpha * beta


def laws(ranks: int) -> dict[str, Law]:
    """Of powers of two ranks, at least 4."""
    depth = log2(ranks)
    lower_bound = 2 * (ranks - 1) / ranks
    return {
        # All send to the root at once, through its one port; then it sends to all at once.
        "naive-root": Law(2, 2 * (ranks - 1)),
        "ring": Law(2 * (ranks - 1), lower_bound),
        "recursive-doubling": Law(depth, depth),
        "rabenseifner": Law(2 * depth, lower_bound),
        # Halves of the message in two trees. Above each leaf two children of K/2 share a port, but the root has one.
        "tree": Law(2 * depth, 2 * depth - 1, 128 * 1024),
    }


def ring_seconds(hops: list[tuple[float, float]], chunk: float) -> float:
    """A ring whose hop from rank i to i + 1 has (latency, bandwidth) hops[i]: a rank passes a chunk on when it has
    arrived; a hop carries one chunk at a time, and the next one enters when it has left."""
    ranks = len(hops)
    arrived = [0.0] * ranks  # [rank] its last message
    free = [0.0] * ranks  # [hop]
    for _ in range(2 * (ranks - 1)):
        before = arrived[:]
        for sender, (latency, bandwidth) in enumerate(hops):
            free[sender] = max(before[sender], free[sender]) + chunk / bandwidth
            arrived[(sender + 1) % ranks] = free[sender] + latency
        # Messages are taken in order.
        arrived = [max(pair) for pair in zip(arrived, before)]
    return max(arrived)
