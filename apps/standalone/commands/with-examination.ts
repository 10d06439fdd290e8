import { Examination } from 'nest-llm-governance';
import { readConfig, type StandaloneConfig } from '../config.js';
import { reachDatabase } from '../database.js';
import { moduleOptions } from '../module-options.js';

/** Runs a read-only command. It does not start background work or migrate, and works on an outdated schema. */
export async function withExamination(
  work: (examination: Examination, config: StandaloneConfig) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env, { makeKeys: false });
  const database = await reachDatabase(config);
  try {
    const examination = await Examination.open(moduleOptions(config, database, { workers: false }));
    try {
      await work(examination, config);
    } finally {
      await examination.close();
    }
  } finally {
    await database.release();
  }
}
