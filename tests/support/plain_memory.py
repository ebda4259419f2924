"""Memory as a plain reading of accesses has it."""


def byte_after_each(events, address):
    """A byte after each event, by the last access or, before a store, by the first load after it; None: unknown. Events have the bytes that
    they `loaded` and `stored`, by address."""
    values, held, first_unknown = [], None, 0
    for number, event in enumerate(events):
        if address in event.loaded and held is None:
            values[first_unknown:] = [event.loaded[address]] * (number - first_unknown)
        held = event.stored.get(address, event.loaded.get(address, held))
        values.append(held)
    return values
