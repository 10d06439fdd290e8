import { Injectable, Module } from '@nestjs/common';

/** A person in the host's data. */
export interface Person {
  /** A UUID. */
  id: string;
  email: string;
  name: string;
  team: string | null;
  isAdmin: boolean;
  hasLeft: boolean;
}

/** The host's people and their sessions. */
@Injectable()
export class Staff {
  private readonly people = new Map<string, Person>();
  private readonly sessions = new Map<string, Person>();
  private readonly inboxes = new Map<string, Map<string, string>>();

  hire(person: Person): void {
    this.people.set(person.id, person);
  }

  signIn(person: Person, cookie: string): void {
    this.sessions.set(cookie, person);
  }

  all(): readonly Person[] {
    return [...this.people.values()];
  }

  /** Adds a message to a person's inbox. A second message with the same id changes nothing. */
  async notify(personId: string, id: string, text: string): Promise<void> {
    const inbox = this.inboxes.get(personId) ?? new Map<string, string>();
    this.inboxes.set(personId, inbox.set(id, text));
  }

  inboxOf(personId: string): string[] {
    return [...(this.inboxes.get(personId)?.values() ?? [])];
  }

  signedIn(cookie: string | undefined): Person | undefined {
    return this.sessions.get(cookie ?? '');
  }
}

@Module({ providers: [Staff], exports: [Staff] })
export class StaffModule {}
