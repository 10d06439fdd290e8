import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { EventEnvelope, EventType } from '../events/index.js';
import { LISTENS_TO } from './on-governance-event.decorators.js';

/** A method of the host that is called with events. */
export interface EventListener {
  /** Name of the listener: `Class.method`. */
  readonly name: string;
  readonly types: readonly EventType[];
  readonly instance: object;
  call(event: EventEnvelope): unknown;
}

/** The listeners of the application: all methods of providers with the decorator `@OnGovernanceEvent`. */
@Injectable()
export class EventListeners {
  private readonly byName = new Map<string, EventListener>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /**
   * Finds the listeners of all providers.
   * @throws Error if two listeners have the same name, or if a provider is request-scoped or transient
   */
  find(): void {
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      const instance: unknown = wrapper.instance;
      if (!isInstance(instance)) continue;
      for (const { method, types } of this.markedMethods(instance)) {
        if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) throw new Error(notKept(instance, method));
        this.add(instance, method, types);
      }
    }
  }

  /** The listeners of an event type. */
  of(type: string): EventListener[] {
    return [...this.byName.values()].filter(listener => listener.types.some(wanted => wanted === type));
  }

  /** A listener by its name. */
  named(name: string): EventListener | undefined {
    return this.byName.get(name);
  }

  private markedMethods(instance: object): { method: string; types: readonly EventType[] }[] {
    return this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object).flatMap(method => {
      const handler: unknown = Reflect.get(instance, method);
      if (typeof handler !== 'function') return [];
      const types = this.reflector.get<readonly EventType[] | undefined>(LISTENS_TO, handler as () => unknown);
      return types ? [{ method, types }] : [];
    });
  }

  private add(instance: object, method: string, types: readonly EventType[]): void {
    const name = nameOf(instance, method);
    const known = this.byName.get(name);
    // `useExisting` provides the same instance under a second token. This is no conflict.
    if (known?.instance === instance) return;
    if (known)
      throw new Error(
        `listeners: two are named ${name}; provide the class once, or rename a class or a method, so that each listener has its own name`,
      );
    const handler = Reflect.get(instance, method) as (event: EventEnvelope) => unknown;
    this.byName.set(name, { name, types, instance, call: event => Reflect.apply(handler, instance, [event]) });
  }
}

function nameOf(instance: object, method: string): string {
  return `${instance.constructor.name}.${method}`;
}

function notKept(instance: object, method: string): string {
  return (
    `listeners: the provider of ${nameOf(instance, method)} is made anew per request or per injection, so that no ` +
    'instance is there to be called; move the method to a provider of the default scope'
  );
}

function isInstance(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== null;
}
