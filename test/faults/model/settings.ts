import { IS_FULL } from '../processes/chance.js';

/** Number of histories over all worlds. MODEL_HISTORIES=20000 sets more. */
export const HISTORIES = Number(process.env['MODEL_HISTORIES'] ?? (IS_FULL ? 1_000 : 200));

/** The same histories on each run, unless MODEL_SEED=$RANDOM selects others. A failure prints its seed. */
export const SEED = Number(process.env['MODEL_SEED'] ?? 20_261_122);

/** The most commands of one history. */
export const COMMANDS_MAX = 16;

/** How long an app may take for due deliveries before the history counts as stuck, in real milliseconds. */
export const TIMEOUT_MS = 8_000;
