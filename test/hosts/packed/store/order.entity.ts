import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql';

export const Order = defineEntity({ name: 'Order', tableName: 'orders', properties: { id: p.text().primary() } });

export type Order = InferEntity<typeof Order>;
