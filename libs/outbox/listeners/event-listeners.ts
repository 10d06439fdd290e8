import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { EventEnvelope, EventType } from '../events/index.js';
import { LISTENS_TO } from './on-governance-event.decorator.js';

/** A method that wants to be called with events. */
export interface EventListener {
  /** `Class.method`. */
  readonly name: string;
  readonly types: readonly EventType[];
  call(event: EventEnvelope): unknown;
}

/** The listeners of the application: every method of a provider that is marked as one. */
@Injectable()
export class EventListeners {
  private readonly byName = new Map<string, EventListener>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** Looks through all providers. @throws Error where two listeners carry one name */
  find(): void {
    for (const { instance } of this.discovery.getProviders()) {
      if (!isInstance(instance)) continue;
      for (const method of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance))) this.add(instance, method);
    }
  }

  /** The listeners of a type of event. */
  of(type: string): EventListener[] {
    return [...this.byName.values()].filter(listener => listener.types.some(wanted => wanted === type));
  }

  /** A listener by its name. */
  named(name: string): EventListener | undefined {
    return this.byName.get(name);
  }

  private add(instance: object, method: string): void {
    const handler: unknown = Reflect.get(instance, method);
    if (typeof handler !== 'function') return;
    const types = this.reflector.get<readonly EventType[] | undefined>(LISTENS_TO, handler as () => unknown);
    if (!types) return;
    const name = `${instance.constructor.name}.${method}`;
    const known = this.byName.get(name);
    if (known)
      throw new Error(`listeners: two are named ${name}; rename a class or a method, so that each has its own`);
    this.byName.set(name, { name, types, call: event => Reflect.apply(handler, instance, [event]) as unknown });
  }
}

function isInstance(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== null;
}
