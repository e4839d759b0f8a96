"""What a request may hold, and how much may wait."""

from dataclasses import dataclass

from sharprecl.errors import ConfigError


@dataclass(frozen=True)
class Limits:
    """Bounds of a server.

    Attributes:
        texts: in one request.
        characters: in one text.
        body_bytes: of one request.
        queue: texts that wait or are being answered; what comes beyond is told when to come again.
        batch: texts that the model gets at once; a GPU wants more.
        wait: seconds that an idle model waits for texts to share its batch.
        requests: being read, waiting or being written.
        client_seconds: in which a client has to send its request, and to take what fills its connection.
    """

    texts: int = 256
    characters: int = 20_000
    body_bytes: int = 1 << 20
    queue: int = 512
    batch: int = 16
    wait: float = 0.003
    requests: int = 1024
    client_seconds: float = 10.0

    def __post_init__(self) -> None:
        if self.queue < self.texts:
            raise ConfigError(
                f"the queue holds {self.queue} texts, so a request of {self.texts} could never enter it; "
                f"raise --queue or lower --max-texts"
            )
