import type { HandleSink } from "@jbdlab/core-wasm";
import { COSTS } from "./ext4/costs.js";
import type { Directory } from "./ext4/directory.js";
import { FileSystem } from "./ext4/file-system.js";
import { rename, unlink } from "./ext4/removal.js";
import { Task } from "./ext4/task.js";
import { cpuParameters, type Lane, laneWorkload, threadsParameter } from "./lanes.js";
import { NULL_SINK } from "./null-sink.js";
import type { Random } from "./random.js";
import { topGroups } from "./top-groups.js";
import { defineWorkload } from "./workload.js";

/** "1700000000.M123456P12345.host,S=12345": what a delivery agent calls a mail. */
const NAME_LENGTH = 44;
/**
 * Bytes of a mail at shares 0, 1/4, 1/2, 3/4, 1 (assumed: short texts, now and then an attachment).
 */
const MAIL_BYTES = [1500, 3000, 6000, 20_000, 120_000];

interface Mail {
  readonly hash: number;
  readonly inode: number;
  readonly dataBlock: number;
  readonly blocks: number;
}

interface Mailbox {
  readonly tmp: Directory;
  readonly new: Directory;
  /** Oldest first, as a ring. */
  readonly mails: (Mail | undefined)[];
  next: number;
}

function mailBytes(random: Random): number {
  const share = random.unit() * (MAIL_BYTES.length - 1);
  const i = Math.floor(share);
  return Math.round(MAIL_BYTES[i]! + (share - i) * (MAIL_BYTES[i + 1]! - MAIL_BYTES[i]!));
}

class MailLane implements Lane {
  readonly units: number;
  readonly #fs: FileSystem;
  readonly #boxes: Mailbox[];
  readonly #fsync: boolean;
  unitsLeft: number;

  constructor(
    fs: FileSystem,
    readonly task: Task,
    boxes: Mailbox[],
    values: { mails: number; fsync: boolean },
  ) {
    this.#fs = fs;
    this.#boxes = boxes;
    this.#fsync = values.fsync;
    this.unitsLeft = values.mails;
    this.units = values.mails;
  }

  step(sink: HandleSink): boolean {
    if (this.unitsLeft === 0) {
      return false;
    }
    this.unitsLeft--;
    const { task } = this;
    const { random } = task;
    // The smaller of two draws: a quarter of the users get 44 % of the mail.
    const user = Math.min(random.below(this.#boxes.length), random.below(this.#boxes.length));
    const box = this.#boxes[user]!;
    const mail = this.#deliver(sink, box);
    const oldest = box.mails[box.next];
    if (oldest !== undefined) {
      unlink(this.#fs, sink, task, box.new, oldest);
    }
    box.mails[box.next] = mail;
    box.next = (box.next + 1) % box.mails.length;
    return true;
  }

  /** Maildir: made and written in tmp, on disk before it appears in new. */
  #deliver(sink: HandleSink, box: Mailbox): Mail {
    const fs = this.#fs;
    const { task } = this;
    const oldHash = task.hash();
    const inode = fs.create(sink, task, box.tmp, oldHash, COSTS.systemCall);
    const blocks = Math.ceil(mailBytes(task.random) / fs.geometry.blockSize);
    const dataBlock = fs.write(sink, task, inode, blocks);
    if (this.#fsync) {
      sink.fsync(inode, task.think(COSTS.systemCall));
    }
    const hash = task.hash();
    rename(fs, sink, task, { inode, from: box.tmp, oldHash, to: box.new, newHash: hash });
    return { hash, inode, dataBlock, blocks };
  }
}

export const mailSpool = defineWorkload({
  name: "mail-spool",
  summary: "delivers mail into many mailboxes with fsync and rename, old mail is removed",
  doc: {
    idea:
      "Each delivery makes a file in a mailbox's tmp, writes it, fsyncs it and renames it to " +
      "new; a mailbox that is full " +
      "loses its oldest mail. Many directories are warm at once, inodes are used again.",
    source:
      "Maildir delivery agents; ext4_create, ext4_rename, ext4_unlink and ext4_evict_inode of " +
      "Linux 6.12; sizes assumed",
    blocks:
      "create in tmp; when fsync writes the pages: block bitmap, descriptor, inode; rename: " +
      "both leaves, both directory " +
      "inodes, the inode; removal: leaf, directory's inode, superblock, inode, bitmaps, descriptor",
    seedVaries:
      "who gets mail, mail sizes, the hashes of names, the jitter of thinking times, the flex " +
      "groups of further threads",
  },
  parameters: {
    mails: {
      kind: "integer",
      default: 20_000,
      min: 1,
      max: 100_000_000,
      unit: "mails per thread",
      help: "mails each thread delivers",
    },
    users: {
      kind: "integer",
      default: 200,
      min: 1,
      max: 100_000,
      unit: "mailboxes per thread",
      help: "mailboxes each thread delivers into",
    },
    keep: {
      kind: "integer",
      default: 50,
      min: 1,
      max: 1_000_000,
      unit: "mails",
      help: "a mailbox holds so many, then the oldest is removed",
    },
    fsync: { kind: "boolean", default: true, help: "fsync each mail before it is renamed" },
    threads: threadsParameter,
    ...cpuParameters,
  },
  work: "mails",
  create(values, context) {
    const fs = new FileSystem(context.geometry);
    const groups = topGroups(context, context.threads ?? values.threads);
    const lanes = groups.map((group, thread) => {
      const top = fs.existingDirectory(group, NAME_LENGTH);
      const builder = new Task(context.seed, thread + 256, 0, 0);
      const make = () => fs.mkdir(NULL_SINK, builder, top, builder.hash(), NAME_LENGTH);
      const boxes = Array.from({ length: values.users }, () => {
        const mails: (Mail | undefined)[] = Array.from({ length: values.keep });
        return { tmp: make(), new: make(), mails, next: 0 };
      });
      const task = new Task(context.seed, thread, values.cpuScale, values.thinkJitter);
      return new MailLane(fs, task, boxes, values);
    });
    return laneWorkload("mail-spool", lanes);
  },
});
