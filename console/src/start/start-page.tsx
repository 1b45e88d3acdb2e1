import { Page } from '../parts/page.js';

export const StartPage = () => <Page title="StartPage">…</Page>;
