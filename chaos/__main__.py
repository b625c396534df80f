"""`make chaos`: rounds of random kills until time is up; it says what it did, and its seed. 1: broken."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from chaos import campaign
from chaos.place import Place


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m chaos", description=__doc__)
    parser.add_argument("--seed", type=int, help="chooses tasks, points and victims (default: by chance)")
    parser.add_argument("--minutes", type=float, default=5.0, help="for how long (default: 5)")
    parser.add_argument("--rounds", type=int, help="so many rounds instead")
    args = parser.parse_args()
    seed = random.SystemRandom().randrange(1_000_000) if args.seed is None else args.seed
    print(f"seed {seed}", flush=True)
    end = time.monotonic() + 60 * args.minutes
    played: list[campaign.Round] = []

    def more(number: int) -> bool:
        return number <= args.rounds if args.rounds is not None else time.monotonic() < end

    place = Place()
    try:
        for one in campaign.rounds(place, seed, more):
            played.append(one)
            print(one.told(), flush=True)
            if one.broken:
                print(place.story(), flush=True)
                break
    finally:
        place.close()
    return summary(seed, played)


def summary(seed: int, played: list[campaign.Round]) -> int:
    killed = Counter(victim for one in played for victim in one.killed)
    broken = [told for one in played for told in one.broken]
    print(f"{len(played)} rounds, {sum(len(one.ends) for one in played)} tasks, {killed.total()} kills")
    print("killed: " + ", ".join(f"{victim} {count}" for victim, count in sorted(killed.items())))
    print(f"lost work: {sum(one.lost for one in played)}")
    print(f"broken: {len(broken)}" + (f" (again with SEED={seed})" if broken else ""))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
