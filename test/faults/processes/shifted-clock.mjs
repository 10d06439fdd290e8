// Preloaded into a process. Shifts every read of the time of day by CLOCK_SHIFT_MS. Timers and the monotonic clock do
// not change, as on a machine with a wrong clock. With CLOCK_JUMP_MS, each SIGUSR2 advances the clock by that much.
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

  // Dates that the runtime creates, such as file times, must count as instances, too.
  static [Symbol.hasInstance](value) {
    return value instanceof TrueDate;
  }
};

if (jump !== 0) process.on('SIGUSR2', () => (shift += jump));
if (shift !== 0 || jump !== 0) globalThis.Date = ShiftedDate;
