import type { FormSchema, ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { COMMON_SETTINGS } from './common-settings.js';
import { REPORT_SECRETS } from './report-secret.js';

/** Registry of ITSM adapters, by kind. */
export class AdapterRegistry {
  private readonly byKind = new Map<string, ItsmAdapter>();

  /** @throws Error if two adapters have the same kind */
  constructor(adapters: readonly ItsmAdapter[]) {
    for (const adapter of adapters) {
      const other = this.byKind.get(adapter.kind);
      if (other) {
        const [first, second] = [other.constructor.name, adapter.constructor.name];
        throw new Error(
          `itsmAdapters: "${adapter.kind}" is claimed by ${first} and ${second}; change the kind of one of them`,
        );
      }
      const secret = REPORT_SECRETS.find(name => has(adapter.secretsSchema, name));
      if (secret !== undefined) {
        throw new Error(
          `itsmAdapters: the secretsSchema of ${adapter.constructor.name} has a property ${secret}, which every ` +
            'connector already has; rename it',
        );
      }
      const taken = Object.keys(COMMON_SETTINGS).find(name => has(adapter.settingsSchema, name));
      if (taken !== undefined) {
        throw new Error(
          `itsmAdapters: the settingsSchema of ${adapter.constructor.name} has a property ${taken}, which every ` +
            'connector already has; rename it',
        );
      }
      refuseUnhiddenSecrets(adapter);
      this.byKind.set(adapter.kind, adapter);
    }
  }

  /** All adapters, in the order in which the options list them. */
  get all(): readonly ItsmAdapter[] {
    return [...this.byKind.values()];
  }

  /** The adapter of a kind. Undefined if this process has no adapter of that kind. */
  named(kind: string): ItsmAdapter | undefined {
    return this.byKind.get(kind);
  }
}

/** All secrets must be strings, because the redaction of the platform's messages finds no others. */
function refuseUnhiddenSecrets({ secretsSchema, bodySecrets = [], constructor: { name } }: ItsmAdapter): void {
  const { properties } = secretsSchema;
  const secrets = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  const nested = secrets.find(([, secret]) => typeof secret === 'object' && secret !== null && isNested(secret));
  if (nested !== undefined) {
    throw new Error(`itsmAdapters: the secret ${nested[0]} of ${name} is not a text; give it the type string`);
  }
  const unknown = bodySecrets.find(each => !has(secretsSchema, each));
  if (unknown !== undefined) {
    throw new Error(`itsmAdapters: ${name} has no secret ${unknown}, which its bodySecrets name`);
  }
}

function isNested(secret: object): boolean {
  return 'type' in secret && (secret.type === 'object' || secret.type === 'array');
}

function has({ properties }: FormSchema, name: string): boolean {
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name);
}
