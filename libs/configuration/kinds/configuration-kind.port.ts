import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Actor, Scope } from '#access';
import type { JsonObject } from '#core';

/** The kinds of configuration of all composed libraries. */
export class ConfigurationKinds {
  private readonly kinds: ConfigurationKind[] = [];

  /** All kinds, in the order in which they are applied. */
  get all(): readonly ConfigurationKind[] {
    return this.kinds;
  }

  /** Adds a kind; called while the module is initialized. @throws Error if another kind has the key */
  add(kind: ConfigurationKind): void {
    if (this.named(kind.kind)) throw new Error(`There are two kinds of configuration "${kind.kind}".`);
    this.kinds.push(kind);
    this.kinds.sort((a, b) => a.rank - b.rank);
  }

  /** The kind with the key, if its library is composed. */
  named(kind: string): ConfigurationKind | undefined {
    return this.kinds.find(each => each.kind === kind);
  }
}

/** A stored object in the form of a configuration file. */
export interface ConfigurationObject {
  /** Id for {@link ConfigurationKind.update} and {@link ConfigurationKind.remove}. */
  readonly id: string;
  /** Identifies the object among those of its kind, in any organization. */
  readonly name: string;
  /**
   * All its fields in a file except secrets, including defaults. Contains names of other objects instead of their ids.
   */
  readonly fields: JsonObject;
  /** References in place of the stored secrets, by name. */
  readonly secrets?: JsonObject;
}

/** Values that are shown only when an object is created, such as a generated secret, by name. */
export type ShownOnce = Readonly<Record<string, string>>;

/** Another object that an entry names. */
export interface ObjectReference {
  readonly kind: string;
  readonly name: string;
  /** Field of the entry that names it. */
  readonly field: string;
}

/** A checked entry of a file, with defaults in place of missing fields. */
export interface WantedObject {
  readonly name: string;
  /** Comparable with the fields of a {@link ConfigurationObject}. */
  readonly fields: JsonObject;
  /** Values of secrets, by name. A missing one keeps its stored value. */
  readonly secrets?: JsonObject;
  readonly refers?: readonly ObjectReference[];
}

/**
 * One kind of configuration: how its objects are read, checked and changed by name. A library provides one for each of
 * its kinds, and needs nothing else: export, comparison and apply are the same for all.
 */
@Injectable()
export abstract class ConfigurationKind implements OnModuleInit {
  /** Key in files, such as `policies`. */
  abstract readonly kind: string;
  /** Position among the kinds, in files and when they are applied. A kind comes after those that it refers to. */
  abstract readonly rank: number;
  /** Scopes to read its objects. All of them are required. */
  abstract readonly reads: readonly Scope[];
  /** Scope to change its objects. */
  abstract readonly writes: Scope;
  /** Fields that a stored object keeps for good. */
  readonly fixed: readonly string[] = [];
  /** Whether every organization has exactly one object, which files state without a list. */
  readonly isSingle: boolean = false;

  constructor(protected readonly kinds: ConfigurationKinds) {}

  onModuleInit(): void {
    this.kinds.add(this);
  }

  /** All objects of an organization, in any order. */
  abstract list(orgId: string): Promise<ConfigurationObject[]>;

  /** Checks an entry of a file. Changes nothing. @throws BadRequestError naming every field at fault */
  abstract read(orgId: string, entry: unknown): Promise<WantedObject>;

  /** Creates an object in one transaction. Returns the values that are shown only once. */
  abstract create(actor: Actor, wanted: WantedObject): Promise<ShownOnce | undefined>;

  /** Changes an object in one transaction. Nothing happens if nothing differs. */
  abstract update(actor: Actor, id: string, wanted: WantedObject): Promise<void>;

  /** Removes an object in one transaction. */
  abstract remove(actor: Actor, id: string): Promise<void>;

  /** Names of the given secrets that differ from the stored ones. By default, a kind has no secrets. */
  async changedSecrets(_orgId: string, _id: string, _wanted: WantedObject): Promise<string[]> {
    return [];
  }
}

/** Settings, of which every organization has one object. A file without them does not change them. */
export abstract class SettingsKind extends ConfigurationKind {
  override readonly isSingle = true;

  /** Never called, because the settings are always there. */
  override async create(): Promise<undefined> {
    throw new Error(`${this.kind} exist in every organization`);
  }

  /** Never called, for the same reason. */
  override async remove(): Promise<void> {
    throw new Error(`${this.kind} cannot be removed`);
  }
}
