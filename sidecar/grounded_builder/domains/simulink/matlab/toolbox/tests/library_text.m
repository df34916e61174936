function text = library_text(name)
%LIBRARY_TEXT Return the text of a library that has one subsystem of this name.
text = ['Library { Version 7.0 System { Name "x" Block { BlockType SubSystem Name "' name ...
    '" Ports [1] System { Name "x" Block { BlockType Inport Name "in" } } } } }'];
end
