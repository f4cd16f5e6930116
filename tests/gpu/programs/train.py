#!/usr/bin/env python3
"""A small PyTorch program with a known number of iterations, in the shapes that real ones have, and
with the faults that deepprof is to find. On a CPU it runs, too (--device=cpu), to be tried there.
"""

import argparse
import contextlib
import json
import os
import time

import torch
from torch import nn


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=["mlp", "cnn", "transformer"], default="mlp")
    parser.add_argument("--mode", choices=["eager", "compile", "graph"], default="eager")
    parser.add_argument("--inference", action="store_true", help="no training")
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--warmup", type=int, default=5, help="before those, the same")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--accumulate", type=int, default=1, help="batches to an iteration")
    parser.add_argument("--evaluate", type=int, default=0, help="after each group of this many iterations")
    parser.add_argument("--batches", type=int, default=5, help="of an evaluation")
    parser.add_argument("--fault", choices=["none", "grow", "oversize", "sync"], default="none")
    parser.add_argument("--workers", type=int, default=-1, help="a DataLoader with this many")
    parser.add_argument("--profile", help="write torch.profiler's trace of the iterations there")
    parser.add_argument("--marks", action="store_true", help="with ProfilerStep marks in it")
    parser.add_argument("--nvtx", action="store_true", help="an NVTX range for each iteration")
    parser.add_argument("--range", action="store_true", help="cudaProfilerStart and -Stop")
    parser.add_argument("--truth", help="write what was done there, as JSON")
    parser.add_argument("--processes", type=int, default=1, help="each does all of it")
    parser.add_argument("--device", default="cuda")
    return parser.parse_args()


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.head = nn.Linear(256, 10)

    def forward(self, x):
        return self.head(self.encoder(x).mean(1))


def build(name):
    """A model, and the shape of one of its inputs."""
    if name == "mlp":
        layers = [nn.Linear(1024, 1024), nn.ReLU()] * 3
        return nn.Sequential(*layers, nn.Linear(1024, 10)), (1024,)
    if name == "cnn":
        return (
            nn.Sequential(
                *(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU()),
                *(nn.Conv2d(32, 64, 3, stride=2, padding=1), nn.BatchNorm2d(64), nn.ReLU()),
                *(nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(1024, 10)),
            ),
            (3, 64, 64),
        )
    return Transformer(), (32, 256)


class Batches(torch.utils.data.Dataset):
    def __init__(self, count, shape):
        self.count, self.shape = count, shape

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.randn(self.shape, generator=generator), index % 10


class Program:
    def __init__(self, args):
        self.args = args
        self.on_gpu = args.device.startswith("cuda")
        torch.manual_seed(1)
        torch.backends.cudnn.benchmark = False
        model, self.shape = build(args.model)
        self.model = model.to(args.device)
        self.run_model = torch.compile(self.model) if args.mode == "compile" else self.model
        self.model.train(not args.inference)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.loss_function = nn.CrossEntropyLoss()
        self.inputs = torch.randn(args.batch, *self.shape)
        self.labels = torch.randint(10, (args.batch,))
        if self.on_gpu:
            self.inputs, self.labels = self.inputs.pin_memory(), self.labels.pin_memory()
        self.history = []
        self.oversize = torch.zeros(64 << 20) if args.fault == "oversize" else None
        self.graph = None
        self.loader = None
        if args.workers >= 0:
            total = (args.iterations + args.warmup) * args.accumulate * args.batch
            self.loader = iter(
                torch.utils.data.DataLoader(
                    Batches(total, self.shape), batch_size=args.batch, num_workers=args.workers
                )
            )

    def wait(self):
        if self.on_gpu:
            torch.cuda.synchronize()

    def batch(self):
        inputs, labels = next(self.loader) if self.loader else (self.inputs, self.labels)
        if self.oversize is not None:
            self.oversize.to(self.args.device)
        device = self.args.device
        return inputs.to(device, non_blocking=True), labels.to(device, non_blocking=True)

    def forward_and_back(self, inputs, labels):
        loss = self.loss_function(self.run_model(inputs), labels)
        if self.args.fault == "sync":
            self.history.append(loss.item())
            time.sleep(0.0005)
        loss.backward()
        if self.args.fault == "sync":
            self.history.append(sum(float(p.grad.norm()) for p in self.model.parameters()))
        return loss

    def grow(self):
        """The list is appended to, and all of it is looked at, in every iteration."""
        self.history.extend(range(20000))
        return sum(self.history) / len(self.history)

    def train(self):
        if self.args.fault == "grow":
            self.grow()
        self.optimizer.zero_grad(set_to_none=True)
        for _ in range(self.args.accumulate):
            loss = self.forward_and_back(*self.batch())
        self.optimizer.step()
        return loss

    @torch.no_grad()
    def infer(self):
        return self.run_model(self.batch()[0]).sum()

    def evaluate(self):
        self.model.eval()
        for _ in range(self.args.batches):
            self.infer().item()
        self.model.train()

    def capture(self):
        """The iteration as a CUDA graph, after three on a stream of its own."""
        self.static = [t.to(self.args.device) for t in (self.inputs, self.labels)]
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.captured_step()
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.static_loss = self.captured_step()

    def captured_step(self):
        if self.args.inference:
            with torch.no_grad():
                return self.model(self.static[0]).sum()
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss_function(self.model(self.static[0]), self.static[1])
        loss.backward()
        self.optimizer.step()
        return loss

    def replay(self):
        self.static[0].copy_(self.inputs, non_blocking=True)
        self.static[1].copy_(self.labels, non_blocking=True)
        self.graph.replay()
        return self.static_loss

    def iteration(self, number):
        if self.graph:
            self.replay().item()
        elif self.args.inference:
            self.infer().item()
        else:
            self.train().item()
        if self.args.evaluate and number % self.args.evaluate == self.args.evaluate - 1:
            self.evaluate()

    @contextlib.contextmanager
    def recorded(self):
        """What is compared: torch.profiler, or the range of cudaProfilerStart."""
        if self.args.profile:
            activities = [torch.profiler.ProfilerActivity.CPU]
            if self.on_gpu:
                activities.append(torch.profiler.ProfilerActivity.CUDA)
            schedule = None
            if self.args.marks:
                schedule = lambda step: torch.profiler.ProfilerAction.RECORD  # noqa: E731
            with torch.profiler.profile(activities=activities, schedule=schedule) as profiler:
                yield profiler
                self.wait()
            profiler.export_chrome_trace(self.args.profile)
        elif self.args.range and self.on_gpu:
            torch.cuda.cudart().cudaProfilerStart()
            yield None
            self.wait()
            torch.cuda.cudart().cudaProfilerStop()
        else:
            yield None

    def run(self):
        if self.args.mode == "graph":
            self.capture()
        for i in range(self.args.warmup):
            self.iteration(-1 - i)
        self.wait()
        with self.recorded() as profiler:
            began = time.perf_counter_ns()
            for i in range(self.args.iterations):
                if self.args.nvtx:
                    torch.cuda.nvtx.range_push(f"iteration {i}")
                self.iteration(i)
                if self.args.nvtx:
                    torch.cuda.nvtx.range_pop()
                if profiler and self.args.marks:
                    profiler.step()
            self.wait()
            return time.perf_counter_ns() - began


def main(rank=0, args=None):
    args = args or parse()
    loop_ns = Program(args).run()
    if not args.truth:
        return
    truth = {**vars(args), "loop_ns": loop_ns, "pid": os.getpid(), "torch": torch.__version__}
    truth["gpu"] = torch.cuda.get_device_name() if args.device.startswith("cuda") else None
    with open(args.truth + (f".{rank}" if rank else ""), "w", encoding="utf-8") as file:
        json.dump(truth, file, indent=1)


if __name__ == "__main__":
    ARGS = parse()
    if ARGS.processes > 1:
        torch.multiprocessing.spawn(main, (ARGS,), nprocs=ARGS.processes)
    else:
        main(0, ARGS)
