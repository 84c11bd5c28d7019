import type { HandleSink } from "@jbdlab/core-wasm";

/** Takes records and forgets them: for what exists before a run. */
export const NULL_SINK: HandleSink = {
  full: false,
  timeNs: 0,
  handle() {},
  access() {},
  data() {},
  allocAccess() {},
  fsync() {},
  sync() {},
  iteration() {},
  end() {},
};
