import type { Provider } from '@nestjs/common';
import { AnnouncedApprovals } from './announced-approvals.js';
import { AnnouncedIncidents } from './announced-incidents.js';
import { NoticeContent } from './notice-content.js';
import { NoticeDelivery } from './notice-delivery.js';
import { NoticeOrders } from './notice-orders.js';
import { NoticeRows } from './notice-rows.js';
import { NoticeSender } from './notice-sender.js';
import { NoticeJob } from './notice.job.js';

/** Providers of notifications in chats. */
export const noticeProviders: Provider[] = [
  NoticeOrders,
  AnnouncedIncidents,
  AnnouncedApprovals,
  NoticeRows,
  NoticeContent,
  NoticeSender,
  NoticeDelivery,
  NoticeJob,
];
