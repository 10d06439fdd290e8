import { IS_FULL } from '../processes/chance.js';

/** Histories that are compared with the model, by all worlds together. More can be asked for: MODEL_HISTORIES=20000. */
export const HISTORIES = Number(process.env['MODEL_HISTORIES'] ?? (IS_FULL ? 1_000 : 500));

/** The same histories each time, unless others are asked for: MODEL_SEED=$RANDOM. A failure names its seed. */
export const SEED = Number(process.env['MODEL_SEED'] ?? 20_261_122);

/** Most commands of one history. */
export const COMMANDS_MAX = 16;

/** How long an app may take to do what is due before the history counts as stuck, in real milliseconds. */
export const PATIENCE_MS = 8_000;
