import { Injectable, Module } from '@nestjs/common';

/** A person, as the host keeps them. */
export interface Person {
  /** A UUID. */
  id: string;
  email: string;
  name: string;
  team: string;
  isAdmin: boolean;
  hasLeft: boolean;
}

/** The host's own people, and who of them is signed in. */
@Injectable()
export class Staff {
  private readonly people: Person[] = [];
  private readonly sessions = new Map<string, Person>();

  hire(person: Person): void {
    this.people.push(person);
  }

  signIn(person: Person, cookie: string): void {
    this.sessions.set(cookie, person);
  }

  all(): readonly Person[] {
    return this.people;
  }

  signedIn(cookie: string | undefined): Person | undefined {
    return this.sessions.get(cookie ?? '');
  }
}

@Module({ providers: [Staff], exports: [Staff] })
export class StaffModule {}
