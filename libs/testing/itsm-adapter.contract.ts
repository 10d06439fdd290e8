import type { Json, JsonObject } from '#core';
import type { ContractCase, SkippableTest } from './contract-case.js';
import { FORM_RULES } from './itsm/form.rules.js';
import type { ItsmAdapterGround } from './itsm/ground.js';
import { MEMORY_RULES } from './itsm/memory.rules.js';
import { OUTCOME_RULES } from './itsm/outcome.rules.js';
import { RENAME_RULES } from './itsm/rename.rules.js';
import { SEARCH_RULES } from './itsm/search.rules.js';
import { SECRECY_RULES } from './itsm/secrecy.rules.js';
import { SIGNATURE_RULES } from './itsm/signature.rules.js';
import { UPDATE_RULES } from './itsm/update.rules.js';
import { Stage } from './itsm/stage.js';

/**
 * The contract of `ItsmAdapter`: the cases that every adapter must pass. A function or a server represents the
 * platform. `makeGround` is called for each case.
 */
export function itsmAdapterContract<Settings extends object, Secrets extends object, Body extends Json = JsonObject>(
  makeGround: () => Promise<ItsmAdapterGround<Settings, Secrets, Body>> | ItsmAdapterGround<Settings, Secrets, Body>,
): readonly ContractCase[] {
  const rules = {
    ...FORM_RULES,
    ...OUTCOME_RULES,
    ...SEARCH_RULES,
    ...MEMORY_RULES,
    ...SECRECY_RULES,
    ...UPDATE_RULES,
    ...RENAME_RULES,
    ...SIGNATURE_RULES,
  };
  return Object.entries(rules).map(([title, rule]) => ({
    title,
    // The default keeps the parameter optional: Jest passes a callback to a function that has a required parameter.
    async run(test: SkippableTest = {}) {
      const ground = await makeGround();
      try {
        const stage = new Stage(ground);
        await rule(stage);
        if (stage.skipped !== undefined) test.skip?.(stage.skipped);
      } finally {
        await ground.close?.();
      }
    },
  }));
}
