// Loaded before anything else, it makes a machine whose clock is wrong: whatever asks for the time of day gets it
// shifted by CLOCK_SHIFT_MS. Timers and the monotonic clock stay as they are, as they do on such a machine. With
// CLOCK_JUMP_MS, each SIGUSR2 moves the clock on by so much.
let shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const jump = Number(process.env.CLOCK_JUMP_MS ?? 0);
const TrueDate = Date;

const ShiftedDate = class extends TrueDate {
  constructor(...parts) {
    if (parts.length === 0) super(TrueDate.now() + shift);
    else super(...parts);
  }

  static now() {
    return TrueDate.now() + shift;
  }

  // What the runtime itself makes, such as the times of files, is a date as well.
  static [Symbol.hasInstance](value) {
    return value instanceof TrueDate;
  }
};

if (jump !== 0) process.on('SIGUSR2', () => (shift += jump));
if (shift !== 0 || jump !== 0) globalThis.Date = ShiftedDate;
