"""Every message of the web client as the line that its description says, written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.web.packets.counters import (
    Bank,
    Buy,
    CounterClosed,
    Depart,
    Deposit,
    Order,
    Sale,
    Sell,
    Shop,
    Ware,
    Withdraw,
)
from protocol.web.packets.dialogs import Answer, Ask, Choice, Close, Filled
from protocol.web.packets.entering import Enter, Entered, Goodbye, HasLeft, Leave, Ping, Pong, Realm
from protocol.web.packets.fighting import (
    Advanced,
    Attack,
    Disengaged,
    Engaged,
    Gained,
    Lock,
    Mended,
    Practised,
    SkillLine,
    Skills,
    Spend,
    Stop,
    Struck,
    Town,
)
from protocol.web.packets.login import (
    Account,
    CharacterLine,
    Characters,
    Create,
    Delete,
    Denied,
    List,
    Login,
    Register,
    Ticket,
    Welcome,
)
from protocol.web.packets.motion import FindWay, Move, Moves, Place, Sit, Turn, Turned, Walk, Walked, Way
from protocol.web.packets.parties import (
    AskParty,
    Expel,
    Invite,
    Lead,
    LeaveParty,
    Loot,
    Member,
    Party,
    Stirred,
)
from protocol.web.packets.people import Appearance, Change, Died, Hide, Look, Read, Revived, Seen, Show
from protocol.web.packets.quests import AskQuests, GiveUp, Journal, Mark, Marks, Quest, Task
from protocol.web.packets.status import Counts, Event, Sheet, Time, Weather
from protocol.web.packets.talk import Gestured, MakeGesture, Say, Speak
from protocol.web.packets.things import Belonging, Belongings, Content, Drop, Take, TakeAll, Unwear, Use, Wear
from protocol.web.packets.trading import (
    Agree,
    AskTrade,
    Bargain,
    BargainOver,
    EndTrade,
    Good,
    OfferGold,
    OfferThing,
    Retract,
    Side,
)
from tests.kit.web_lines_social import SOCIAL

if TYPE_CHECKING:
    from protocol.web.packets.base import Message

DOG = Appearance("dog", colour="#804020")
MAN = Appearance("person", skin="#ffcc99", hair="#332211", top="#336699", legs="#444444", feet="#221100")
MAN_LINE = (
    '{"figure":"person","skin":"#ffcc99","hair":"#332211","top":"#336699","legs":"#444444","feet":"#221100"}'
)
WOMAN = Appearance("person", female=True, skin="#ffeedd", head="#aa0000")

GOLDEN: list[tuple[Message, str]] = [
    *SOCIAL,
    (Login("anna", "secret1"), '{"t":"login","account":"anna","password":"secret1"}'),
    (Register("anna", "secret1"), '{"t":"register","account":"anna","password":"secret1"}'),
    (Ticket("00ff"), '{"t":"ticket","key":"00ff"}'),
    (List(), '{"t":"list"}'),
    (Create("Anna"), '{"t":"create","character":"Anna"}'),
    (
        Create("Anna", female=True, hair=0, hair_hue=1149, skin_hue=1058),
        '{"t":"create","character":"Anna","female":true,"hair":0,"hair_hue":1149,"skin_hue":1058}',
    ),
    (Delete(7), '{"t":"delete","id":7}'),
    (Enter(4294967295), '{"t":"enter","id":4294967295}'),
    (Leave(), '{"t":"leave"}'),
    (Walk(3, 2), '{"t":"walk","sequence":3,"heading":2}'),
    (Walk(65535, 7, run=True), '{"t":"walk","sequence":65535,"heading":7,"run":true}'),
    (FindWay(3, 4, 65535, 6), '{"t":"way","x":3,"y":4,"to_x":65535,"to_y":6}'),
    (FindWay(3, 4, 5, 6, 2), '{"t":"way","x":3,"y":4,"to_x":5,"to_y":6,"within":2}'),
    (Turn(0), '{"t":"turn","heading":0}'),
    (Sit(), '{"t":"sit"}'),
    (Speak("Grüß Gott \U0001f600"), '{"t":"speak","words":"Grüß Gott \U0001f600"}'),
    (Speak("psst", "tell", "Bert"), '{"t":"speak","words":"psst","how":"tell","to":"Bert"}'),
    (MakeGesture("bow"), '{"t":"gesture","gesture":"bow"}'),
    (Look(1), '{"t":"look","id":1}'),
    (Use(1), '{"t":"use","id":1}'),
    (Use(1, 5), '{"t":"use","id":1,"on":5}'),
    (Attack(5), '{"t":"attack","id":5}'),
    (Stop(), '{"t":"stop"}'),
    (Spend("vitality"), '{"t":"spend","attribute":"vitality"}'),
    (Spend("strength", 3), '{"t":"spend","attribute":"strength","points":3}'),
    (Lock("swords", 2), '{"t":"lock","skill":"swords","way":2}'),
    (Town(), '{"t":"town"}'),
    (Read(3, 4), '{"t":"read","x":3,"y":4}'),
    (Answer(1, 0), '{"t":"answer","serial":1,"button":0}'),
    (
        Answer(1, 2, (Filled("a", (3,)), Filled("b", text="c"))),
        '{"t":"answer","serial":1,"button":2,"filled":[{"key":"a","chosen":[3]},{"key":"b","text":"c"}]}',
    ),
    (Take(1), '{"t":"take","id":1}'),
    (TakeAll(5), '{"t":"take_all","id":5}'),
    (Take(1, 5), '{"t":"take","id":1,"amount":5}'),
    (Drop(1, 2147483647), '{"t":"drop","id":1,"amount":2147483647}'),
    (Wear(1), '{"t":"wear","id":1}'),
    (Unwear(1), '{"t":"unwear","id":1}'),
    (
        Buy(7, (Order("bread", 3, 4), Order("apple", 1, 2))),
        '{"t":"buy","host":7,"orders":[{"item":"bread","amount":3,"price":4},{"item":"apple","amount":1,"price":2}]}',
    ),
    (Sell(7, (Sale(9, 2, 3),)), '{"t":"sell","host":7,"sales":[{"id":9,"amount":2,"price":3}]}'),
    (Deposit(7, amount=20), '{"t":"deposit","host":7,"amount":20}'),
    (Deposit(7, 9), '{"t":"deposit","host":7,"id":9}'),
    (Withdraw(7, amount=20), '{"t":"withdraw","host":7,"amount":20}'),
    (Withdraw(7, 9, 0), '{"t":"withdraw","host":7,"id":9,"amount":0}'),
    (Depart(), '{"t":"depart"}'),
    (AskQuests(), '{"t":"quests"}'),
    (GiveUp("rats"), '{"t":"give_up","key":"rats"}'),
    (AskTrade(5), '{"t":"trade","id":5}'),
    (OfferThing(9), '{"t":"offer","id":9}'),
    (OfferThing(9, 3), '{"t":"offer","id":9,"amount":3}'),
    (OfferGold(20), '{"t":"offer_gold","amount":20}'),
    (Retract(9), '{"t":"retract","id":9}'),
    (Agree(2), '{"t":"agree","changes":2}'),
    (Agree(2, agreed=False), '{"t":"agree","changes":2,"agreed":false}'),
    (EndTrade(), '{"t":"end_trade"}'),
    (
        Bargain(5, "Bert", "uo", Side(), Side(), "You trade with Bert."),
        '{"t":"bargain","id":5,"name":"Bert","game":"uo","own":{},"theirs":{},"line":"You trade with Bert."}',
    ),
    (
        Bargain(
            *(5, "Bert", "uo"),
            Side((Good(9, "bread loaf", Appearance("loaf"), 2),), 7, agreed=True),
            Side((Good(8, "bag", Appearance("bag"), inside=("3 apples",)),)),
            "You offer ...",
            4,
        ),
        '{"t":"bargain","id":5,"name":"Bert","game":"uo","own":{"things":[{"id":9,"name":"bread loaf",'
        '"look":{"figure":"loaf"},"amount":2}],"gold":7,"agreed":true},"theirs":{"things":[{"id":8,'
        '"name":"bag","look":{"figure":"bag"},"inside":["3 apples"]}]},"line":"You offer ...","changes":4}',
    ),
    (AskParty(), '{"t":"party"}'),
    (Invite(5), '{"t":"invite","id":5}'),
    (Invite(name="Bert"), '{"t":"invite","name":"Bert"}'),
    (LeaveParty(), '{"t":"leave_party"}'),
    (Expel(5), '{"t":"expel","id":5}'),
    (Lead(5), '{"t":"lead","id":5}'),
    (Loot("turns"), '{"t":"loot","rule":"turns"}'),
    (Party(), '{"t":"party"}'),
    (
        Party(
            (
                Member(5, "Bert", "uo", 3, 20, 30, 4, 5, 6, 7, realm="r", title="R", x=8, y=9),
                Member(6, "Carla", online=False),
            ),
            "leader",
        ),
        '{"t":"party","members":[{"id":5,"name":"Bert","game":"uo","level":3,"hits":20,"hits_max":30,"mana":4,'
        '"mana_max":5,"stam":6,"stam_max":7,"realm":"r","title":"R","x":8,"y":9},'
        '{"id":6,"name":"Carla","online":false}],"loot":"leader"}',
    ),
    (Stirred(5, hits=0, hits_max=30, dead=True), '{"t":"member","id":5,"hits":0,"hits_max":30,"dead":true}'),
    (
        Stirred(5, realm="r", title="R", x=0, y=9),
        '{"t":"member","id":5,"realm":"r","title":"R","x":0,"y":9}',
    ),
    (BargainOver(5), '{"t":"bargain_over","id":5}'),
    (BargainOver(5, done=True), '{"t":"bargain_over","id":5,"done":true}'),
    (
        Shop(5, "Greta", (Ware("bread", "bread loaf", Appearance("loaf"), 4, 20),), ()),
        '{"t":"shop","host":5,"name":"Greta","sells":[{"item":"bread","name":"bread loaf",'
        '"look":{"figure":"loaf"},"price":4,"left":20}],"buys":[]}',
    ),
    (
        Shop(5, "Greta", (), (Ware("hide", "hide", Appearance("thing"), 3),), anew=True),
        '{"t":"shop","host":5,"name":"Greta","sells":[],"buys":[{"item":"hide","name":"hide",'
        '"look":{"figure":"thing"},"price":3}],"anew":true}',
    ),
    (
        Bank(5, "Osric", 20, (Belonging(9, "hide", Appearance("thing"), 2, kind="hide"),)),
        '{"t":"bank","host":5,"name":"Osric","gold":20,"things":[{"id":9,"name":"hide",'
        '"look":{"figure":"thing"},"amount":2,"kind":"hide"}]}',
    ),
    (
        Bank(5, "Osric", 0, (), anew=True),
        '{"t":"bank","host":5,"name":"Osric","gold":0,"things":[],"anew":true}',
    ),
    (CounterClosed(5), '{"t":"counter_closed","host":5}'),
    (Journal(()), '{"t":"journal","quests":[]}'),
    (
        Journal((Task("rats", "Rats", "Done.", open=False, times=1),), shown=False),
        '{"t":"journal","quests":[{"key":"rats","name":"Rats","line":"Done.","open":false,"times":1}],'
        '"shown":false}',
    ),
    (
        Quest("advanced", Task("rats", "Rats", "Kill rats (1 of 8)", True, 1, 8, 0, "confluence", 3, 4)),
        '{"t":"quest","what":"advanced","task":{"key":"rats","name":"Rats","line":"Kill rats (1 of 8)",'
        '"count":1,"amount":8,"realm":"confluence","x":3,"y":4}}',
    ),
    (
        Quest("finished", Task("rats", "Rats", "Done.", open=False, times=1), "60 gold coins"),
        '{"t":"quest","what":"finished","task":{"key":"rats","name":"Rats","line":"Done.","open":false,"times":1},'
        '"gained":"60 gold coins"}',
    ),
    (Marks((Mark(5, "offers"),)), '{"t":"marks","marks":[{"id":5,"mark":"offers"}]}'),
    (Marks((Mark(5),)), '{"t":"marks","marks":[{"id":5}]}'),
    (Ping(), '{"t":"ping"}'),
    (Ping(9), '{"t":"ping","number":9}'),
    (Welcome("Causeway"), '{"t":"welcome","server":"Causeway"}'),
    (Denied("busy", "Wait.", "login"), '{"t":"denied","why":"busy","text":"Wait.","to":"login"}'),
    (Account("anna", 3), '{"t":"account","account":"anna","limit":3}'),
    (Account("anna", 3, ["bow"]), '{"t":"account","account":"anna","limit":3,"gestures":["bow"]}'),
    (Characters([]), '{"t":"characters","characters":[]}'),
    (
        Characters([CharacterLine(1, "Anna", 2, MAN, "Confluence")]),
        f'{{"t":"characters","characters":[{{"id":1,"name":"Anna","level":2,"look":{MAN_LINE},'
        '"realm":"Confluence"}]}',
    ),
    (
        Entered(1, "Anna", 18, 400, 200),
        '{"t":"entered","id":1,"name":"Anna","sight":18,"walk_ms":400,"run_ms":200}',
    ),
    (HasLeft(), '{"t":"left"}'),
    (Realm("confluence", "Confluence"), '{"t":"realm","name":"confluence","title":"Confluence"}'),
    (
        Show(5, "mobile", "Rex", 10, 20, DOG, resident=True),
        '{"t":"show","id":5,"kind":"mobile","name":"Rex","x":10,"y":20,'
        '"look":{"figure":"dog","colour":"#804020"},"resident":true}',
    ),
    (
        Show(5, "mobile", "Anna", 1, 2, WOMAN, 0, "the Old", "uo", 99, 6, dead=True, sitting=True, level=3),
        '{"t":"show","id":5,"kind":"mobile","name":"Anna","x":1,"y":2,'
        '"look":{"figure":"person","female":true,"skin":"#ffeedd","head":"#aa0000"},"heading":0,'
        '"title":"the Old","game":"uo","hits":99,"notoriety":6,"dead":true,"sitting":true,"level":3}',
    ),
    (
        Show(6, "item", "apple", 1, 2, Appearance("fruit"), amount=3),
        '{"t":"show","id":6,"kind":"item","name":"apple","x":1,"y":2,"look":{"figure":"fruit"},"amount":3}',
    ),
    (
        Show(7, "item", "backpack", 1, 2, Appearance("bag"), container=True),
        '{"t":"show","id":7,"kind":"item","name":"backpack","x":1,"y":2,"look":{"figure":"bag"},'
        '"container":true}',
    ),
    (
        Show(8, "mobile", "a wolf", 1, 2, DOG, resident=True, level=6, fights=True, poisoned=True),
        '{"t":"show","id":8,"kind":"mobile","name":"a wolf","x":1,"y":2,'
        '"look":{"figure":"dog","colour":"#804020"},"resident":true,"level":6,"fights":true,"poisoned":true}',
    ),
    (
        Show(9, "item", "corpse of a wolf", 1, 2, DOG, container=True, corpse=True),
        '{"t":"show","id":9,"kind":"item","name":"corpse of a wolf","x":1,"y":2,'
        '"look":{"figure":"dog","colour":"#804020"},"container":true,"corpse":true}',
    ),
    (Change(5, hits=0, dead=True), '{"t":"change","id":5,"hits":0,"dead":true}'),
    (Change(5, title="", sitting=False), '{"t":"change","id":5,"title":"","sitting":false}'),
    (Change(5, poisoned=True), '{"t":"change","id":5,"poisoned":true}'),
    (Change(5, look=MAN), f'{{"t":"change","id":5,"look":{MAN_LINE}}}'),
    (Hide(5), '{"t":"hide","id":5}'),
    (Hide(5, "hidden"), '{"t":"hide","id":5,"why":"hidden"}'),
    (Move(5, 11, 20, 2), '{"t":"move","id":5,"x":11,"y":20,"heading":2}'),
    (
        Move(5, 15, 20, 2, 200, jump=True),
        '{"t":"move","id":5,"x":15,"y":20,"heading":2,"ms":200,"jump":true}',
    ),
    (Moves([[5, 11, 20, 2]]), '{"t":"moves","moves":[[5,11,20,2]]}'),
    (Place(5, 1, 2, 3), '{"t":"place","id":5,"x":1,"y":2,"heading":3}'),
    (Turned(5, 6), '{"t":"turned","id":5,"heading":6}'),
    (Walked(3, 1, 2, 4), '{"t":"walked","sequence":3,"x":1,"y":2,"heading":4}'),
    (Walked(3, 1, 2, 4, ok=False), '{"t":"walked","sequence":3,"x":1,"y":2,"heading":4,"ok":false}'),
    (Way(3, 4, 5, 4, [1, 3]), '{"t":"way","x":3,"y":4,"to_x":5,"to_y":4,"headings":[1,3]}'),
    (Way(3, 4, 5, 4, [], ok=False), '{"t":"way","x":3,"y":4,"to_x":5,"to_y":4,"headings":[],"ok":false}'),
    (Say(0, "System", "system", "Hi"), '{"t":"say","id":0,"name":"System","how":"system","words":"Hi"}'),
    (Gestured(5, "bow"), '{"t":"gestured","id":5,"gesture":"bow"}'),
    (Died(5), '{"t":"died","id":5}'),
    (Died(5, 9, 1), '{"t":"died","id":5,"corpse":9,"by":1}'),
    (Struck(5, 1, "missed"), '{"t":"struck","id":5,"target":1,"outcome":"missed"}'),
    (
        Struck(5, 1, "critical", 12, 40, "slash", 2500, two_handed=True),
        '{"t":"struck","id":5,"target":1,"outcome":"critical","damage":12,"hits":40,"manner":"slash","ms":2500,'
        '"two_handed":true}',
    ),
    (Engaged(5, 1), '{"t":"engaged","id":5,"target":1}'),
    (Disengaged(5), '{"t":"disengaged","id":5}'),
    (Gained(90, 5), '{"t":"gained","experience":90,"of":5}'),
    (Gained(-37), '{"t":"gained","experience":-37}'),
    (Advanced(5, 2), '{"t":"advanced","id":5,"level":2}'),
    (Practised("swords", 301), '{"t":"practised","skill":"swords","value":301}'),
    (Mended(5, 30), '{"t":"mended","id":5,"hits":30}'),
    (
        Skills([SkillLine("daggers", 300), SkillLine("parry", 12, 2)], 361),
        '{"t":"skills","skills":[{"name":"daggers","value":300},{"name":"parry","value":12,"lock":2}],'
        '"cap":361}',
    ),
    (Revived(5), '{"t":"revived","id":5}'),
    (Time(5, 30, 0.5), '{"t":"time","hour":5,"minute":30,"pace":0.5}'),
    (Weather("rain"), '{"t":"weather","kind":"rain"}'),
    (
        Sheet(
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            9,
            10,
            11,
            12,
            13,
            14,
            15,
            16,
            17,
            18,
            19,
            20,
            21,
            22,
            23,
            war=True,
            poisoned=True,
        ),
        '{"t":"sheet","hits":1,"hits_max":2,"mana":3,"mana_max":4,"stam":5,"stam_max":6,"strength":7,'
        '"dexterity":8,"intelligence":9,"vitality":10,"level":11,"experience":12,"level_from":13,'
        '"level_to":14,"points":15,"gold":16,"weight":17,"weight_max":18,"armour":19,"damage_least":20,'
        '"damage_most":21,"blow_ms":22,"reach":23,"war":true,"poisoned":true}',
    ),
    (
        Belongings([Belonging(6, "bag", Appearance("bag"), container=True)]),
        '{"t":"belongings","things":[{"id":6,"name":"bag","look":{"figure":"bag"},"container":true}]}',
    ),
    (
        Content(6, "bag", [Belonging(7, "hat", Appearance("hat"), 2, worn=True, wearable=True)]),
        '{"t":"content","id":6,"name":"bag","things":[{"id":7,"name":"hat","look":{"figure":"hat"},'
        '"amount":2,"worn":true,"wearable":true}]}',
    ),
    (Seen(5, "Rex", ["A dog."]), '{"t":"seen","id":5,"name":"Rex","lines":["A dog."]}'),
    (
        Ask(9, "Crier", "Well?", [Choice(1, "Yes"), Choice(0, "No")], 5),
        '{"t":"ask","serial":9,"title":"Crier","text":"Well?",'
        '"buttons":[{"number":1,"label":"Yes"},{"number":0,"label":"No"}],"asker":5}',
    ),
    (Close(9), '{"t":"close","serial":9}'),
    (Pong(9), '{"t":"pong","number":9}'),
    (Goodbye("Bye."), '{"t":"goodbye","text":"Bye."}'),
    (
        Counts({"uo": 2, "web": 1}, 30, 4, 5),
        '{"t":"counts","online":{"uo":2,"web":1},"mobiles":30,"items":4,"viewers":5}',
    ),
    (
        Event("came", "Anna is here.", 1.5, "web"),
        '{"t":"event","kind":"came","text":"Anna is here.","at":1.5,"game":"web"}',
    ),
]
