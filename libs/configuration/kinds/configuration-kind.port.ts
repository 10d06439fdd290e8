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

  /**
   * Adds a kind. Call it during module initialization.
   * @throws Error if another kind has the same key
   */
  add(kind: ConfigurationKind): void {
    if (this.named(kind.kind)) throw new Error(`There are two kinds of configuration "${kind.kind}".`);
    this.kinds.push(kind);
    this.kinds.sort((a, b) => a.rank - b.rank);
  }

  /** The kind with the given key; undefined if its library is not composed. */
  named(kind: string): ConfigurationKind | undefined {
    return this.kinds.find(each => each.kind === kind);
  }
}

/** A stored object in the form of a configuration file. */
export interface ConfigurationObject {
  /** Id for {@link ConfigurationKind.update} and {@link ConfigurationKind.remove}. */
  readonly id: string;
  /** Identifies the object among the objects of its kind, in any organization. */
  readonly name: string;
  /**
   * All fields of the object in a file except secrets, including defaults. References contain names of other objects
   * instead of ids.
   */
  readonly fields: JsonObject;
  /** Placeholders that a file contains instead of the stored secrets, by name. */
  readonly secrets?: JsonObject;
}

/** Values that are shown only when an object is created, by name. Example: a generated secret. */
export type ShownOnce = Readonly<Record<string, string>>;

/** A reference from an entry to another object. */
export interface ObjectReference {
  readonly kind: string;
  readonly name: string;
  /** Field of the entry that contains the name. */
  readonly field: string;
}

/** A checked entry of a file. Missing fields have their defaults. */
export interface WantedObject {
  readonly name: string;
  /** Fields in the same form as those of a {@link ConfigurationObject}, so that they can be compared. */
  readonly fields: JsonObject;
  /** Values of secrets, by name. A missing secret keeps its stored value. */
  readonly secrets?: JsonObject;
  readonly refers?: readonly ObjectReference[];
}

/**
 * One kind of configuration: how its objects are read, checked and changed by name. A library provides one for each of
 * its kinds. Export, comparison and apply are the same for all kinds.
 */
@Injectable()
export abstract class ConfigurationKind implements OnModuleInit {
  /** Key in files, such as `policies`. */
  abstract readonly kind: string;
  /** Position of the kind in files and in the order of changes. A kind comes after the kinds that it refers to. */
  abstract readonly rank: number;
  /** Scopes that are required to read its objects. All of them are needed. */
  abstract readonly reads: readonly Scope[];
  /** Scope that is required to change its objects. */
  abstract readonly writes: Scope;
  /** Fields that cannot be changed after the object was created. */
  readonly fixed: readonly string[] = [];
  /** Whether every organization has exactly one object of this kind. Files contain it directly, without a list. */
  readonly isSingle: boolean = false;

  constructor(protected readonly kinds: ConfigurationKinds) {}

  onModuleInit(): void {
    this.kinds.add(this);
  }

  /** All objects of an organization, in any order. */
  abstract list(orgId: string): Promise<ConfigurationObject[]>;

  /**
   * Checks an entry of a file. Changes nothing.
   * @throws BadRequestError naming every invalid field
   */
  abstract read(orgId: string, entry: unknown): Promise<WantedObject>;

  /** Creates an object in one transaction. Returns the values that are shown only once. */
  abstract create(actor: Actor, wanted: WantedObject): Promise<ShownOnce | undefined>;

  /** Changes an object in one transaction. Writes nothing if nothing differs. */
  abstract update(actor: Actor, id: string, wanted: WantedObject): Promise<void>;

  /** Removes an object in one transaction. */
  abstract remove(actor: Actor, id: string): Promise<void>;

  /** Names of the given secrets that differ from the stored secrets. By default, a kind has no secrets. */
  async changedSecrets(_orgId: string, _id: string, _wanted: WantedObject): Promise<string[]> {
    return [];
  }
}

/**
 * A kind for settings: every organization has exactly one object. A file without the settings leaves them unchanged.
 */
export abstract class SettingsKind extends ConfigurationKind {
  override readonly isSingle = true;

  /** Never called, because the settings always exist. */
  override async create(): Promise<undefined> {
    throw new Error(`${this.kind} exist in every organization`);
  }

  /** Never called, because the settings always exist. */
  override async remove(): Promise<void> {
    throw new Error(`${this.kind} cannot be removed`);
  }
}
