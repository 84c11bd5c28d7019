/**
 * Credits ext4 asks for (ext4_jbd2.h, Linux 6.12, extents, no quota), each with the one descriptor
 * block for revokes that ext4_journal_start adds. A create's 40 and the superblock's 2 are those of
 * the reference recording.
 */
const SINGLE_DATA = 20;
const XATTR = 6;
/** EXT4_DATA_TRANS_BLOCKS. */
const DATA = SINGLE_DATA + XATTR - 2;
/** EXT4_INDEX_EXTRA_TRANS_BLOCKS. */
const INDEX_EXTRA = 12;
const REVOKE = 1;

export const CREDITS = {
  /** ext4_create, ext4_mkdir. */
  create: DATA + INDEX_EXTRA + 3 + REVOKE,
  /** ext4_unlink, ext4_rmdir. */
  unlink: DATA + REVOKE,
  /** ext4_rename. */
  rename: 2 * DATA + INDEX_EXTRA + 2 + REVOKE,
  /** ext4_dirty_inode: time stamps, mode, owner. */
  inode: 2 + REVOKE,
  /** ext4_sample_last_mounted. */
  superblock: 1 + REVOKE,
  /** ext4_writepages for one extent; its conversion's credits are reserved apart. */
  writePages: 8 + REVOKE,
} as const;

/** ext4_evict_inode: ext4_blocks_for_truncate and what orphan list, bitmaps and inode need. */
export function evictCredits(blocks: number): number {
  return DATA + Math.min(64, Math.max(2, blocks)) + 3 + REVOKE;
}
