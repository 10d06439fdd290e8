import { ConflictError } from '#core';

const NAMED_MAX = 10;

/** Several stored objects of one kind share a name, so a file cannot tell them apart. */
export class AmbiguousNamesError extends ConflictError {
  constructor(kind: string, names: readonly string[]) {
    const shown = names.slice(0, NAMED_MAX).map(name => JSON.stringify(name));
    const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
    super(`Several ${kind} are named ${shown.join(', ')}${more}; give each its own name, or delete all but one.`);
  }
}

/** Another file is being applied to the organization. */
export class ConfigurationBusyError extends ConflictError {
  constructor() {
    super('Another configuration is being applied to your organization; try again when it is done.');
  }
}
