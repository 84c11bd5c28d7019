/**
 * CPU time of ext4's operations in nanoseconds on the machine of the reference kernel runs (Linux
 * 6.12.117, one CPU, 1 instruction = 1 ns): least squares over the 40065 recorded handles
 * (create-0b-16m). The recording's own cost, 0.92 us per event (the shortest distance of two
 * recorded accesses is 0.99 us), is taken off. Residual over windows of 2000 handles: at most 0.2
 * us. What grows in the course of a run is what the kernel walks:
 *  - the leaf is read once to look the name up and once to find room; a name made in another second
 *    differs from the new one within its first 8 bytes (fs_mark's time stamp), which memcmp then
 *    finds byte by byte: dearer than 16 equal bytes;
 *  - the inode bitmap is searched from its start, full groups of the flex group are passed over;
 *  - a split hashes every name of the leaf. So a create costs 54 us in the first iteration and
 *    about 60 us later. jbd2_journal_start and _stop are included. A workload's `cpuScale`
 *    multiplies all of it. Everything a recording did not hold is marked "assumed".
 */
export const COSTS = {
  /**
   * Before the handle: fs_mark's name, mkdir (exists), open, the last close, page faults and slab
   * refills.
   */
  createThink: 24_000,
  /** Less when the directory has just been made (no failing mkdir). */
  freshDirectory: -4_900,
  /** Before a mkdir's handle. */
  mkdirThink: 18_100,
  /** dx_probe and hashing the name, before the handle and inside it. */
  indexThink: 1_950,
  indexBody: 1_760,
  /** Per entry of the leaf: lookup, and search for room. */
  lookupEntry: 60,
  insertEntry: 178,
  /** Per entry of another second, in each of the two. */
  otherSecond: 33,
  /** Per 64-bit word of the inode bitmap. */
  bitmapWord: 8.6,
  /** Per full group of the flex group. */
  fullGroup: 100,
  /** Inside the handle. */
  createBody: 11_320,
  /** First inode of an inode-table block: the block is filled with zeroes instead of read. */
  newTableBlock: 4_590,
  mkdirBody: 56_300,
  /**
   * A split: allocating and initialising a block, hashing, sorting and moving 85 entries (1.4 us
   * each).
   */
  split: 155_000,
  /** The first index of a directory: one more block, copying. */
  index: 204_000,
  /**
   * Delayed allocation of one extent, by the writer of the page (assumed: as a directory's block).
   */
  allocate: 36_000,
  /** write() of one page into the page cache (assumed: copy 4 KiB, find a page). */
  writePage: 6_000,
  /** Time stamp or size of an inode alone (assumed: as the recorded inode accesses of a create). */
  inodeUpdate: 6_000,
  /**
   * unlink, and freeing the inode when it is evicted (assumed: as a create without its search for
   * room).
   */
  unlinkThink: 12_000,
  unlinkBody: 14_000,
  evictBody: 16_000,
  /** rename of a file between two directories (assumed: as unlink and create). */
  renameBody: 22_000,
  /** A process' work for one system call around fsync (assumed). */
  systemCall: 2_000,
} as const;

/**
 * A create costs 54-60 us on that machine and about 13 us on the machine of the regression report.
 */
export const REAL_MACHINE_SCALE = 0.23;
