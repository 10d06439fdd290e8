import type { EntityManager } from '@mikro-orm/postgresql';
import { Incident } from './incident.entity.js';
import { IncidentNotFoundError } from './incident.errors.js';

/**
 * Finds an incident. With `ofUser`, only incidents about that user are found.
 * @throws IncidentNotFoundError
 */
export async function findIncident(em: EntityManager, orgId: string, id: string, ofUser?: string): Promise<Incident> {
  const about = ofUser === undefined ? {} : { userId: ofUser.toLowerCase() };
  const incident = await em.findOne(Incident, { orgId, id, ...about });
  if (!incident) throw new IncidentNotFoundError(id);
  return incident;
}
