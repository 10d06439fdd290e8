import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import {
  DeviceDirectory,
  GovernanceError,
  messageOf,
  OrganizationStates,
  UnavailableError,
  UserDirectory,
  type DeviceStatus,
  type DirectoryUser,
  type UserReference,
} from '#core';

/** Looks up the organization, the person and the device of a request. All directories answer from memory. */
@Injectable()
export class SubjectLookup {
  /** Undefined if decisions are made without a database. Organizations then cannot be suspended. */
  @Optional() @Inject(OrganizationStates) private readonly organizations?: OrganizationStates;
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly users: UserDirectory,
    private readonly devices: DeviceDirectory,
  ) {}

  /**
   * Resolves at once if the organization is already known.
   * @throws OrganizationSuspendedError
   * @throws UnavailableError if the organization is not known and the database cannot be reached
   */
  assertActive(orgId: string): Promise<void> | undefined {
    return this.organizations?.assertActive(orgId)?.catch((error: unknown) => {
      throw this.unavailable('list of organizations', error);
    });
  }

  /**
   * The people of some requests, in the order of the requests; undefined for an unknown person.
   * @throws UnavailableError if the directory cannot be reached
   */
  async people(orgId: string, inputs: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    try {
      return await this.users.find(orgId, inputs);
    } catch (error) {
      throw this.unavailable('user directory', error);
    }
  }

  /**
   * The status for this user of the device in a request.
   * @throws UnavailableError if the devices cannot be read
   */
  async deviceStatus(orgId: string, deviceId: string, user: DirectoryUser | undefined): Promise<DeviceStatus> {
    try {
      return await this.devices.statusOf(orgId, deviceId, user?.id);
    } catch (error) {
      throw this.unavailable('device directory', error);
    }
  }

  private unavailable(directory: string, error: unknown): GovernanceError {
    if (error instanceof GovernanceError) return error;
    this.logger.error(`The ${directory} does not respond: ${messageOf(error)}`);
    return new UnavailableError(`The ${directory} cannot be reached; try again shortly.`);
  }
}
