import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { canonicalJson, type JsonObject } from '#core';
import { OrgRecord } from '#database';
import { keptRouting, type KeptRouting, type Routing } from '../decide/routing.js';

/** Fields of a connector that users set. */
export interface ConnectorFields {
  readonly name: string;
  readonly active: boolean;
  readonly settings: JsonObject;
  /** Selects incidents. Default: no conditions, so that every incident gets a ticket. */
  readonly routing?: Routing;
}

/** The problem because of which a connector opens no tickets until an administrator has corrected it. */
export interface ConnectorProblem {
  readonly code: string;
  readonly message: string;
  readonly since: Date;
}

/** A connector to one platform. The vault contains its secrets; the entity contains only the names of the secrets. */
@Entity({ tableName: 'itsm_connectors', schema: 'governance' })
export class Connector extends OrgRecord {
  @Property({ type: 'text' })
  kind!: string;

  @Property({ type: 'text' })
  name!: string;

  /** Whether the connector is called. An inactive connector is never called. */
  @Property({ type: 'boolean' })
  active!: boolean;

  @Property({ type: 'json' })
  settings!: JsonObject;

  /** Selects the incidents that get tickets automatically. */
  @Property({ type: 'json' })
  routing!: KeptRouting;

  /** Names of the stored secrets, sorted. */
  @Property({ type: 'text[]' })
  secretNames!: string[];

  /** Version of the connector. It is incremented when cached knowledge about the platform becomes invalid. */
  @Property({ type: 'integer' })
  revision!: number;

  @Property({ type: 'text', nullable: true })
  problemCode!: string | null;

  @Property({ type: 'text', nullable: true })
  problemMessage!: string | null;

  @Property({ type: 'timestamptz', nullable: true })
  problemSince!: Date | null;

  /** Time before which the service sends nothing through the connector. */
  @Property({ type: 'timestamptz', nullable: true })
  problemUntil!: Date | null;

  /** Number of consecutive tickets that the platform refused for their content. */
  @Property({ type: 'integer' })
  fieldRefusals!: number;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  static create(orgId: string, id: string, kind: string, fields: ConnectorFields, now: Date): Connector {
    const connector = new Connector();
    const routing = keptRouting(fields.routing ?? {});
    Object.assign(connector, { orgId, id, kind, ...fields, routing, secretNames: [], revision: 1, fieldRefusals: 0 });
    Object.assign(connector, { problemCode: null, problemMessage: null, problemSince: null, problemUntil: null });
    Object.assign(connector, { createdAt: now, updatedAt: now });
    return connector;
  }

  /** The current problem of the connector; null if there is none. */
  get problem(): ConnectorProblem | null {
    const { problemCode: code, problemMessage: message, problemSince: since } = this;
    return code === null || since === null ? null : { code, message: message ?? '', since };
  }

  /** Changes the supplied fields. If anything differs, clears the problem. Returns whether anything differs. */
  change(patch: Partial<ConnectorFields>, newSecrets: boolean, now: Date): boolean {
    const { name = this.name, active = this.active, settings = this.settings } = patch;
    const routing = keptRouting(patch.routing ?? this.routing);
    const before = canonicalJson({
      name: this.name,
      active: this.active,
      settings: this.settings,
      routing: this.routing,
    });
    if (!newSecrets && canonicalJson({ name, active, settings, routing }) === before) return false;
    Object.assign(this, { name, active, settings, routing });
    this.forgetProblem();
    this.updatedAt = new Date(Math.max(now.getTime(), this.updatedAt.getTime() + 1));
    return true;
  }

  /** Clears the problem of the connector. */
  forgetProblem(): void {
    this.revision += 1;
    this.problemCode = null;
    this.problemMessage = null;
    this.problemSince = null;
    this.problemUntil = null;
    this.fieldRefusals = 0;
  }
}
