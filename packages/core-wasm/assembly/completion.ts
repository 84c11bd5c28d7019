// What a completed block request means to the rest of the model.
import { B, B_IO, B_T_NEXT, LOCKED, SHADOW, flags, setFlags, wakeBuffer } from "./buffer";
import { cpuHomeIo, cpuLogIo } from "./config";
import { dataWritten } from "./conversion";
import { interrupt, wake } from "./cpu";
import { judgeCommitted, judgeFlushed, judgeHomeDone, judgeLogDone, judgeRevoked } from "./crash";
import {
  R, RQ_DATA, RQ_FLUSH, RQ_HOME, RQ_LOG, RQ_RECORD, R_BLOCKS, R_FIRST, R_INO, R_PHASE, R_STAMP,
  R_TASK, R_TX, begin, freeRequestRecord, releaseTag,
} from "./device";
import { DG_IO, note } from "./events";
import { X, X_FORGET, X_LOG_IO, X_LOG_START, countDown, head, tidOf } from "./journal";
import { countHome, homeInFlight } from "./pages";
import { homeWritesDone } from "./policy";
import { watchedDone } from "./worker";
import { homeDone } from "./writeback";

export function completed(r: i32): void {
  const kind = load<i32>(R(r));
  if (kind == RQ_RECORD && load<i32>(R(r), R_PHASE) == 0) {
    judgeFlushed(load<u32>(R(r), R_STAMP));
    store<i32>(R(r), 1, R_PHASE);
    begin(r);
    return;
  }
  interrupt(<i64>load<i32>(R(r), R_BLOCKS) * (kind == RQ_LOG ? cpuLogIo : cpuHomeIo));
  note(DG_IO, <u32>kind, load<u32>(R(r), R_BLOCKS));
  releaseTag();
  const x = load<i32>(R(r), R_TX);
  if (kind == RQ_LOG) {
    logDone(r);
    countDown(x, X_LOG_IO);
  } else if (kind == RQ_HOME) {
    homeWritten(r);
  } else if (kind == RQ_RECORD) {
    judgeCommitted(tidOf(x), load<u32>(X(x), X_LOG_START), head);
    // Its revoke records are durable with it, whatever the next transaction does with the blocks.
    let b = load<i32>(X(x), X_FORGET);
    while (b != 0) {
      judgeRevoked(b);
      b = load<i32>(B(b), B_T_NEXT);
    }
  } else if (kind == RQ_FLUSH) {
    judgeFlushed(load<u32>(R(r), R_STAMP));
  } else if (kind == RQ_DATA) {
    const pages = load<i32>(R(r), R_BLOCKS);
    dataWritten(load<i32>(R(r), R_INO), pages, x);
  }
  const task = load<i32>(R(r), R_TASK) - 1;
  if (task >= 0) {
    if (kind == RQ_HOME) watchedDone(task);
    else wake(task);
  }
  freeRequestRecord(r);
}
function logDone(r: i32): void {
  judgeLogDone(load<i32>(R(r), R_BLOCKS));
  let b = load<i32>(R(r), R_FIRST);
  while (b != 0) {
    const next = load<i32>(B(b), B_IO);
    setFlags(b, flags(b) & ~SHADOW);
    wakeBuffer(b);
    b = next;
  }
}
function homeWritten(r: i32): void {
  const n = load<i32>(R(r), R_BLOCKS);
  countHome(-n);
  let b = load<i32>(R(r), R_FIRST);
  while (b != 0) {
    const next = load<i32>(B(b), B_IO);
    setFlags(b, flags(b) & ~LOCKED);
    judgeHomeDone(b);
    wakeBuffer(b);
    b = next;
  }
  homeDone();
  homeWritesDone(n, homeInFlight);
}

