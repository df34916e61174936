function text = library_text(name)
%LIBRARY_TEXT A library of one subsystem of this name.
text = ['Library { Version 7.0 System { Name "x" Block { BlockType SubSystem Name "' name ...
    '" Ports [1] System { Name "x" Block { BlockType Inport Name "in" } } } } }'];
end
