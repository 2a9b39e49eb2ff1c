/** The studio's page: connect, listen, draw. */
import { render } from 'preact'
import './styles/tokens.css'
import './styles/studio.css'
import './styles/page.css'
import { listenToKeys } from './app/keys'
import { Shell } from './app/shell'
import { connection, listen } from './app/store'

listen()
listenToKeys()
render(<Shell />, document.getElementById('app')!)
connection.open()
