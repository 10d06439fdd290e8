// Replicas receive no notification of changes and never poll. So a suspension takes effect only on the replica that
// made it.
import { ofApp } from './support/app.mjs';

const { Notifications } = await ofApp('libs/database/notifications.js');
const { ChangeFeed } = await ofApp('libs/database/change-feed.js');

const { on } = Notifications.prototype;
Notifications.prototype.on = function (channel, handler) {
  if (channel !== 'governance_changes') on.call(this, channel, handler);
};
ChangeFeed.prototype.schedule = () => undefined;
