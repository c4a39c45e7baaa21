#!/usr/bin/env python3
"""Measures a network between two hosts with plain sockets: no MPI, nothing of ours.

usage: probe.py serve ADDRESS
       probe.py ask ADDRESS SAMPLES BYTES...

`ask` prints JSON: the least round-trip time of 8 bytes by UDP, and for each size the least time to send so many
bytes by TCP and to hear that they have come.
"""
import json
import socket
import struct
import sys
import time

PORT = 5000


def receive(connection, count):
    data = bytearray()
    while len(data) < count:
        part = connection.recv(min(count - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def serve(address):
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind((address, PORT))
    listener = socket.create_server((address, PORT))
    print("ready", flush=True)
    while True:
        data, sender = datagrams.recvfrom(64)
        datagrams.sendto(data, sender)
        if data == b"now tcp.":
            break
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        while True:
            receive(connection, struct.unpack("!Q", receive(connection, 8))[0])
            connection.sendall(b"!")
    except EOFError:
        pass


def ask(address, samples, sizes):
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.settimeout(10)
    trips = []
    for data in [b"8 bytes."] * samples + [b"now tcp."]:
        start = time.perf_counter()
        datagrams.sendto(data, (address, PORT))
        datagrams.recvfrom(64)
        trips.append(time.perf_counter() - start)
    connection = socket.create_connection((address, PORT))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    streams = []
    for size in sizes:
        times = []
        message = struct.pack("!Q", size) + bytes(size)
        for _ in range(samples):
            start = time.perf_counter()
            connection.sendall(message)
            receive(connection, 1)
            times.append(time.perf_counter() - start)
        streams.append([size, min(times)])
    print(json.dumps({"round_trip_s": min(trips), "streams": streams}))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        ask(sys.argv[2], int(sys.argv[3]), [int(word) for word in sys.argv[4:]])
