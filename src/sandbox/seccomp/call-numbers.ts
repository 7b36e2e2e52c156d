/**
 * Numbers of system calls by machine. `refused` has no use in a command of a project and has been a way out of sandboxes:
 * other processes' memory, kernel keys, tracing and probing, mounts and namespaces, modules, the clock, the work queue
 * that does calls of its own (io_uring), opening files by handle.
 */

export interface CallNumbers {
  /** As the kernel's audit names the machine. */
  readonly audit: number
  readonly refused: ReadonlyArray<number>
  readonly ioctl: number
  readonly clone: number
  readonly clone3: number
  readonly socket: number
  /** Calls that change modes, owners, times and attributes of files by their path or descriptor. */
  readonly fileModes: ReadonlyArray<number>
  /** Calls that take a mode, and which argument it is. */
  readonly modes: ReadonlyArray<readonly [call: number, argument: number]>
  /** Calls that make a file only with a flag: then they take a mode. */
  readonly opens: ReadonlyArray<readonly [call: number, flags: number, mode: number]>
  readonly openat2: number
  readonly prlimit: number
  /**
   * Shared memory, semaphores and message queues, and pages of other processes: known by numbers or names to every program
   * of the user, and to no rule about files.
   */
  readonly betweenProcesses: ReadonlyArray<number>
}

/** Since 2019 new calls have the same number everywhere. */
const SHARED = {
  pidfdGetfd: 438,
  processMadvise: 440,
  ioUring: [425, 426, 427],
  mountApi: [428, 429, 430, 431, 432, 433, 442, 467],
  quotactlFd: 443,
  processMrelease: 448,
  clone3: 435,
  openat2: 437,
  fchmodat2: 452
}

const sharedRefused = [
  SHARED.pidfdGetfd,
  SHARED.processMadvise,
  ...SHARED.ioUring,
  ...SHARED.mountApi,
  SHARED.quotactlFd,
  SHARED.processMrelease
]

const X64: CallNumbers = {
  audit: 0xc000003e,
  refused: [
    // ptrace, process_vm_readv, process_vm_writev, kcmp
    101,
    310,
    311,
    312,
    // add_key, request_key, keyctl
    248,
    249,
    250,
    // bpf, perf_event_open, userfaultfd, syslog, fanotify_init, lookup_dcookie
    321,
    298,
    323,
    103,
    300,
    212,
    // mount, umount2, pivot_root, chroot, setns, unshare
    165,
    166,
    155,
    161,
    308,
    272,
    // kexec_load, kexec_file_load, init_module, finit_module, delete_module, reboot
    246,
    320,
    175,
    313,
    176,
    169,
    // name_to_handle_at, open_by_handle_at
    303,
    304,
    // swapon, swapoff, acct, quotactl, vhangup, iopl, ioperm, modify_ldt, uselib, _sysctl, nfsservctl
    167,
    168,
    163,
    179,
    153,
    172,
    173,
    154,
    134,
    156,
    180,
    // settimeofday, clock_settime, clock_adjtime, adjtimex, sethostname, setdomainname
    164,
    227,
    305,
    159,
    170,
    171,
    ...sharedRefused
  ],
  ioctl: 16,
  clone: 56,
  clone3: SHARED.clone3,
  socket: 41,
  // chmod, fchmod, fchmodat, fchmodat2, chown, fchown, lchown, fchownat, utime, utimes, futimesat, utimensat,
  // setxattr, lsetxattr, fsetxattr, setxattrat, removexattr, lremovexattr, fremovexattr, removexattrat
  fileModes: [90, 91, 268, 452, 92, 93, 94, 260, 132, 235, 261, 280, 188, 189, 190, 463, 197, 198, 199, 466],
  // chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat
  modes: [
    [90, 1],
    [91, 1],
    [268, 2],
    [SHARED.fchmodat2, 2],
    [85, 1],
    [133, 1],
    [259, 2]
  ],
  // open, openat
  opens: [
    [2, 1, 2],
    [257, 2, 3]
  ],
  openat2: SHARED.openat2,
  prlimit: 302,
  // shmget, shmat, shmctl, semget, semop, semctl, semtimedop, msgget, msgsnd, msgrcv, msgctl, mq_open, mq_unlink,
  // migrate_pages, move_pages
  betweenProcesses: [29, 30, 31, 64, 65, 66, 220, 68, 69, 70, 71, 240, 241, 256, 279]
}

const ARM64: CallNumbers = {
  audit: 0xc00000b7,
  refused: [
    // ptrace, process_vm_readv, process_vm_writev, kcmp
    117,
    270,
    271,
    272,
    // add_key, request_key, keyctl
    217,
    218,
    219,
    // bpf, perf_event_open, userfaultfd, syslog, fanotify_init, lookup_dcookie
    280,
    241,
    282,
    116,
    262,
    18,
    // mount, umount2, pivot_root, chroot, setns, unshare
    40,
    39,
    41,
    51,
    268,
    97,
    // kexec_load, kexec_file_load, init_module, finit_module, delete_module, reboot
    104,
    294,
    105,
    273,
    106,
    142,
    // name_to_handle_at, open_by_handle_at
    264,
    265,
    // swapon, swapoff, acct, quotactl, vhangup, nfsservctl
    224,
    225,
    89,
    60,
    58,
    42,
    // settimeofday, clock_settime, clock_adjtime, adjtimex, sethostname, setdomainname
    170,
    112,
    266,
    171,
    161,
    162,
    ...sharedRefused
  ],
  ioctl: 29,
  clone: 220,
  clone3: SHARED.clone3,
  socket: 198,
  // fchmod, fchmodat, fchmodat2, fchown, fchownat, utimensat, setxattr, lsetxattr, fsetxattr, setxattrat,
  // removexattr, lremovexattr, fremovexattr, removexattrat
  fileModes: [52, 53, 452, 55, 54, 88, 5, 6, 7, 463, 14, 15, 16, 466],
  // fchmod, fchmodat, fchmodat2, mknodat
  modes: [
    [52, 1],
    [53, 2],
    [SHARED.fchmodat2, 2],
    [33, 2]
  ],
  // openat
  opens: [[56, 2, 3]],
  openat2: SHARED.openat2,
  prlimit: 261,
  betweenProcesses: [194, 196, 195, 190, 193, 191, 192, 186, 189, 188, 187, 180, 181, 238, 239]
}

/** `undefined`: a machine for which there is no filter, and so no sandbox. */
export const callNumbersOf = (architecture: string): CallNumbers | undefined =>
  architecture === "x64" ? X64 : architecture === "arm64" ? ARM64 : undefined
