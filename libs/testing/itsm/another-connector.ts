import { deepEqual, fail } from 'node:assert/strict';
import type { Json, JsonObject } from '#core';
import {
  AdapterHttp,
  formFaults,
  type AdapterContext,
  type AdapterRequest,
  type AdapterResponse,
  type ItsmAdapter,
} from '#itsm';
import type { ItsmAdapterGround } from './ground.js';

/** Settings and secrets of a connector. */
interface Account<Settings, Secrets> {
  readonly settings: Settings;
  readonly secrets: Secrets;
}

/**
 * A second connector to the platform of a ground, with other secrets, and other addresses if the settings contain any.
 * The platform treats its requests like those of the first.
 */
export class AnotherConnector<Settings extends object, Secrets extends object> {
  /** All requests that this connector has sent, in order. */
  readonly asked: AdapterRequest[] = [];
  readonly settings: Settings;
  readonly secrets: Secrets;
  private readonly names: readonly (readonly [another: string, first: string])[];

  constructor(
    private readonly ground: ItsmAdapterGround<Settings, Secrets, Json>,
    adapter: ItsmAdapter<Settings, Secrets>,
  ) {
    const { settings, secrets } = (ground.another ?? made(ground)) satisfies Account<Settings, Secrets>;
    [this.settings, this.secrets] = [settings, secrets];
    const faults = [
      ...formFaults(adapter.settingsSchema, { ...settings } as JsonObject, 'settings'),
      ...formFaults(adapter.secretsSchema, { ...secrets } as JsonObject, 'secrets'),
    ];
    deepEqual(faults, [], 'a second connector fits the schemas; give one that does as `another` in the ground');
    const pairs = [
      ...adapter.origins(settings).map((origin, at) => [origin, adapter.origins(ground.settings)[at]] as const),
      ...Object.entries(secrets).map(([name, value]) => [value, textIn(ground.secrets, name)] as const),
    ];
    this.names = pairs.flatMap(([another, first]) => (typeof another === 'string' && first ? [[another, first]] : []));
    if (Object.keys(this.foreignTo(ground.secrets)).length === 0) {
      fail('a second connector has other secrets; give it as `another` in the ground');
    }
  }

  contextLike({ clock }: AdapterContext<Settings, Secrets>): AdapterContext<Settings, Secrets> {
    const { settings, secrets } = this;
    return { settings, secrets, clock, http: new ForwardingHttp(request => this.forward(request)) };
  }

  /** Secrets that only the second connector has. */
  foreignTo(secrets: Secrets): JsonObject {
    return differing(this.secrets, secrets);
  }

  /** Secrets that only the first connector has. */
  get foreign(): JsonObject {
    return differing(this.ground.secrets, this.secrets);
  }

  private forward(request: AdapterRequest): Promise<AdapterResponse> {
    this.asked.push(request);
    const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name, this.header(value)]);
    return this.ground.http.request({
      ...request,
      url: this.asFirst(request.url),
      headers: Object.fromEntries(headers),
      ...(request.form && { form: this.formAsFirst(request.form) }),
      ...(request.json !== undefined && { json: this.jsonAsFirst(request.json) }),
    });
  }

  private header(value: string): string {
    const [, scheme, credentials] = /^(Basic) (\S+)$/i.exec(value) ?? [];
    if (scheme === undefined || credentials === undefined) return this.asFirst(value);
    const plain = this.asFirst(Buffer.from(credentials, 'base64').toString('utf8'));
    return `${scheme} ${Buffer.from(plain).toString('base64')}`;
  }

  private formAsFirst(form: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, this.asFirst(value)]));
  }

  private jsonAsFirst(json: Json): Json {
    if (typeof json === 'string') return this.asFirst(json);
    if (typeof json !== 'object' || json === null) return json;
    if (Array.isArray(json)) return json.map(each => this.jsonAsFirst(each));
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, this.jsonAsFirst(value)]));
  }

  private asFirst(text: string): string {
    return this.names.reduce((rest, [another, first]) => rest.replaceAll(another, first), text);
  }
}

class ForwardingHttp extends AdapterHttp {
  constructor(private readonly forward: (request: AdapterRequest) => Promise<AdapterResponse>) {
    super();
  }

  override async request(request: AdapterRequest): Promise<AdapterResponse> {
    // Other calls run while a real network request is under way. The delay imitates this.
    await new Promise(done => setImmediate(done));
    return this.forward(request);
  }
}

function made<Settings extends object, Secrets extends object>({
  settings,
  secrets,
}: Account<Settings, Secrets>): Account<Settings, Secrets> {
  const moved = Object.entries(settings).map(([name, value]: [string, unknown]) => [name, elsewhere(value)]);
  const changed = Object.entries(secrets).map(([name, value]: [string, unknown]) => [name, otherwise(value)]);
  // Fields with changed texts. Whether the texts are valid is checked elsewhere.
  return { settings: Object.fromEntries(moved) as Settings, secrets: Object.fromEntries(changed) as Secrets };
}

function elsewhere(value: unknown): unknown {
  const url = typeof value === 'string' && value.startsWith('https://') ? URL.parse(value) : null;
  // Maps equal addresses to equal ones, and different addresses to different ones.
  return url && typeof value === 'string'
    ? value.replace(url.host, `another-${url.host.replaceAll(/\W/g, '-')}.example`)
    : value;
}

/**
 * Changes a text but keeps its form: swaps each letter and digit in the second half with its neighbor in the alphabet
 * or among the digits.
 */
function otherwise(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const half = Math.floor(value.length / 2);
  const swapped = value.slice(half).replaceAll(/[a-z0-9]/gi, each => {
    const first = /\d/.test(each) ? 48 : /[a-z]/.test(each) ? 97 : 65;
    return String.fromCharCode(first + ((each.charCodeAt(0) - first) ^ 1));
  });
  return value.slice(0, half) + swapped;
}

function differing(these: object, those: object): JsonObject {
  const entries = Object.entries(these).filter(([name, value]) => textIn(those, name) !== value);
  return Object.fromEntries(entries);
}

function textIn(values: object, name: string): string | undefined {
  const value: unknown = Object.entries(values).find(([each]) => each === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}
