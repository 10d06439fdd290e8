import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { canonicalJson, type JsonObject } from '#core';
import { OrgRecord } from '#database';
import { keptRouting, type KeptRouting, type Routing } from '../decide/routing.js';

/** Fields of a connector that people configure. */
export interface ConnectorFields {
  readonly name: string;
  readonly active: boolean;
  readonly settings: JsonObject;
  /** Default: no conditions, so that every incident gets a ticket. */
  readonly routing?: Routing;
}

/** The problem that keeps a connector from opening tickets until an administrator fixes it. */
export interface ConnectorProblem {
  readonly code: string;
  readonly message: string;
  readonly since: Date;
}

/** A connector to one platform. The vault holds its secrets; the entity holds only their names. */
@Entity({ tableName: 'itsm_connectors', schema: 'governance' })
export class Connector extends OrgRecord {
  @Property({ type: 'text' })
  kind!: string;

  @Property({ type: 'text' })
  name!: string;

  /** Only an active connector is called. */
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

  /** Increments when cached knowledge about the platform becomes invalid. */
  @Property({ type: 'integer' })
  revision!: number;

  @Property({ type: 'text', nullable: true })
  problemCode!: string | null;

  @Property({ type: 'text', nullable: true })
  problemMessage!: string | null;

  @Property({ type: 'timestamptz', nullable: true })
  problemSince!: Date | null;

  /** The service sends nothing before this time. */
  @Property({ type: 'timestamptz', nullable: true })
  problemUntil!: Date | null;

  /** Consecutive tickets that the platform refused for their content. */
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

  /** The known problem; null if there is none. */
  get problem(): ConnectorProblem | null {
    const { problemCode: code, problemMessage: message, problemSince: since } = this;
    return code === null || since === null ? null : { code, message: message ?? '', since };
  }

  /** Changes the supplied fields, and clears the problem if anything differs. Returns whether anything changed. */
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

  /** Clears the problem. */
  forgetProblem(): void {
    this.revision += 1;
    this.problemCode = null;
    this.problemMessage = null;
    this.problemSince = null;
    this.problemUntil = null;
    this.fieldRefusals = 0;
  }
}
