import { ArrowUp } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { plural } from '../data/format.ts';
import type { TopicName } from '../data/live-topics.ts';
import { useNews } from '../data/live.ts';
import { Button } from './button.tsx';

interface NewsProps {
  topic: TopicName;
  onShow: () => void;
}

/**
 * Notice that records were added or changed. The list is refetched only when the notice is pressed, so that no row
 * moves unexpectedly.
 */
export function News({ topic, onShow }: NewsProps) {
  const [count, forget] = useNews(topic);
  const show = (): void => {
    forget();
    onShow();
  };
  // Changes from before the page was opened are shown at once, because nobody is looking at a row yet.
  const showEarlier = useEffectEvent(() => count > 0 && show());
  useEffect(() => void showEarlier(), []);
  return (
    <output>
      {count > 0 && (
        <Button small icon={ArrowUp} className="border-accent! text-accent!" onClick={show}>
          {topic === 'incidents' ? plural(count, 'change') : 'New entries'} – view
        </Button>
      )}
    </output>
  );
}
